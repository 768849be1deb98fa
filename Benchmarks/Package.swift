// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "ttt", path: "..")],
    targets: [
        .executableTarget(
            name: "online-bench",
            dependencies: [.product(name: "OnlinePlay", package: "ttt")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        .executableTarget(name: "epoll-peer", cSettings: [.unsafeFlags(["-O2"])]),
    ]
)
