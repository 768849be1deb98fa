// SPDX-License-Identifier: MIT

package import ResponderProtocol

/// Decides everything in discovery and does nothing: each input returns effects.
///
/// Inputs are the caller's wishes, news of the daemon and of the responder process, the reports
/// of either, and time. Effects are to be carried out in order. All wishes are kept here, so a
/// responder that comes new is told all of them.
package struct DiscoveryMachine: Sendable {
    /// What the caller must do.
    package enum Effect: Sendable, Hashable {
        /// Start or end something.
        case act(MeansMachine.Action)
        /// Give the daemon or the own process an order.
        case order(Order, to: DiscoveryMeans)
        /// Tell the user.
        case tell(DiscoveryEvent)
        /// Answer a look-up.
        case answer(number: UInt32, [ServiceAddress])
    }

    private var means: MeansMachine
    private var list: ServiceList
    private var advert = AdvertMachine()
    private var lookUps = LookUps()
    private var isBrowsing = false
    private var servedBy = DiscoveryMeans.none
    private var toldMeans: DiscoveryMeans?
    private var isDaemonRegistering = false

    /// Makes a machine.
    ///
    /// - Parameters:
    ///   - hasFallback: Whether a responder process can be started.
    ///   - hidden: An id that is never told as found.
    ///   - knownAs: Says whose a service seems to be.
    package init(
        hasFallback: Bool, hidden: String?, knownAs: @escaping KnownAs = { _ in nil }
    ) {
        means = MeansMachine(hasFallback: hasFallback)
        list = ServiceList(hidden: hidden, knownAs: knownAs)
    }

    /// Takes the networks that this machine is in.
    package mutating func take(_ networks: LocalNetworks, at now: Milliseconds) {
        list.take(networks, at: now)
    }

    /// The moment at which `tick(at:)` is due, or `nil`.
    package func deadline(at now: Milliseconds) -> Milliseconds? {
        let advertDue = servedBy == .none ? nil : advert.deadline
        return [means.deadline(at: now), list.deadline, lookUps.deadline, advertDue]
            .compactMap { $0 }.min()
    }

    /// Takes what to advertise, or nothing.
    package mutating func advertise(
        _ advertisement: Advertisement?, at now: Milliseconds
    ) -> [Effect] {
        if advertisement != nil { means.need() }
        advert.want(advertisement)
        return settle(at: now)
    }

    /// Takes whether to look for services.
    package mutating func browse(_ wanted: Bool, at now: Milliseconds) -> [Effect] {
        guard wanted != isBrowsing else { return [] }
        isBrowsing = wanted
        if wanted { means.need() }
        let gone = wanted ? [] : list.clear().map(Effect.tell)
        let order = servedBy == .none ? [] : give(wanted ? .browse : .stop, at: now)
        return gone + order + settle(at: now)
    }

    /// Takes the user's experience with a service.
    package mutating func mark(id: String, stale: Bool, at now: Milliseconds) -> [Effect] {
        list.mark(id: id, stale: stale, at: now)
        return settle(at: now)
    }

    /// Begins a look-up that is answered by then at the latest.
    package mutating func lookUp(
        number: UInt32, host: String, until: Milliseconds, at now: Milliseconds
    ) -> [Effect] {
        means.need()
        lookUps.begin(number: number, host: host, until: until)
        let order =
            servedBy == .none ? [] : give(.lookUp(number: number, host: host), at: now)
        return order + settle(at: now)
    }

    /// Ends a look-up without an answer.
    package mutating func forget(number: UInt32, at now: Milliseconds) -> [Effect] {
        guard lookUps.cancel(number: number), servedBy != .none else { return [] }
        return give(.forget(number: number), at: now)
    }

    /// Takes news of the daemon.
    package mutating func heard(
        _ news: MeansMachine.DaemonNews, at now: Milliseconds
    ) -> [Effect] {
        means.heard(news, at: now)
        switch news {
        // Neither in these states does it advertise for us, nor after them by itself.
        case .registering, .running: if servedBy == .daemon { advert.forgotten() }
        case .absent, .connecting, .lost: break
        }
        isDaemonRegistering = news == .registering
        return settle(at: now)
    }

    /// Takes that the daemon has carried out an order.
    package mutating func answered(at now: Milliseconds) -> [Effect] {
        means.answered(at: now)
        return settle(at: now)
    }

    /// Takes that the process ended or could not be started.
    package mutating func fallbackEnded(at now: Milliseconds) -> [Effect] {
        means.fallbackEnded(at: now)
        return settle(at: now)
    }

    /// Takes a report of the daemon or of the process.
    package mutating func report(
        _ report: Report, from sender: DiscoveryMeans, at now: Milliseconds
    ) -> [Effect] {
        if report == .ready {
            if sender == .own { means.fallbackReady(at: now) }
            return settle(at: now)
        }
        guard sender == servedBy else { return [] }
        let news = take(report, at: now).map { [Effect.tell($0)] } ?? []
        return news + settle(at: now)
    }

    /// Takes that time has passed.
    package mutating func tick(at now: Milliseconds) -> [Effect] { settle(at: now) }

    private mutating func take(_ report: Report, at now: Milliseconds) -> DiscoveryEvent? {
        switch report {
        case .ready: break
        case .established(let name): return advert.established(name: name)
        case .collision(let name): advert.collision(name: name, at: now)
        case .found(let sighting, let detail):
            if isBrowsing { list.found(sighting, detail, at: now) }
        case .silent(let sighting): list.silent(sighting, at: now)
        case .lost(let sighting): list.lost(sighting, at: now)
        case .address(let number, let interface, let bytes):
            lookUps.address(number: number, interface: interface, bytes: bytes, at: now)
        case .unknown(let number, let family): lookUps.unknown(number: number, family: family)
        }
        return nil
    }

    /// Brings everything in line with what is known now.
    private mutating func settle(at now: Milliseconds) -> [Effect] {
        var effects: [Effect] = []
        for action in means.settle(at: now) {
            if action == .openDaemon { means.ordered(at: now) }
            effects.append(.act(action))
        }
        if means.current != servedBy { effects += turn(to: means.current, at: now) }
        effects += tellMeans(at: now)
        if canAdvertise, let order = advert.order(at: now) { effects += give(order, at: now) }
        let hopeless = means.isHopeless(at: now)
        for (number, addresses) in lookUps.finished(at: now, hopeless: hopeless) {
            if servedBy != .none { effects += give(.forget(number: number), at: now) }
            effects.append(.answer(number: number, addresses))
        }
        for sighting in list.takeUnlisted() where servedBy != .none {
            effects += give(.ignore(sighting), at: now)
        }
        return effects + list.tick(at: now).map(Effect.tell)
    }

    /// Gives a responder that comes new all orders.
    private mutating func turn(to new: DiscoveryMeans, at now: Milliseconds) -> [Effect] {
        servedBy = new
        advert.forgotten()
        list.orphan(at: now)
        guard new != .none else { return [] }
        let orders = (isBrowsing ? [Order.browse] : []) + lookUps.orders
        return orders.flatMap { give($0, at: now) }
    }

    private mutating func tellMeans(at now: Milliseconds) -> [Effect] {
        // A daemon that is only restarted is not worth two messages.
        guard servedBy != toldMeans, servedBy != .none || means.isNoneSettled(at: now) else {
            return []
        }
        toldMeans = servedBy
        return [.tell(.means(servedBy))]
    }

    /// The daemon and the process must not defend the same name against each other.
    private var canAdvertise: Bool {
        switch servedBy {
        case .none: false
        case .own: true
        case .daemon: !means.isFallbackAlive && !isDaemonRegistering
        }
    }

    private mutating func give(_ order: Order, at now: Milliseconds) -> [Effect] {
        if servedBy == .daemon { means.ordered(at: now) }
        return [.order(order, to: servedBy)]
    }
}
