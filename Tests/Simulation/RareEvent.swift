// SPDX-License-Identifier: MIT

/// What happens seldom and must have happened: a run in which one of these never did proves less
/// than it says.
package enum RareEvent: Int, CaseIterable, Sendable {
    case killBetweenStoreAndSend
    case killBetweenStoreAndAcknowledge
    case powerLostInsideStore
    case powerLostInsideOpening
    case tornTailDropped
    case syncFailed
    case diskFull
    case damagedFilePutAside
    case journalInUse
    case lostLogAskedFor
    case ownEntryRefilled
    case cutWhileRefilling
    case forkNoticed
    case draftStored
    case draftSigned
    case draftDropped
    case dialsCrossed
    case connectionSuperseded
    case ghostDisplaced
    case goneElsewhere
    case dialOvertaken
    case beginningLost
    case beginningHalfDone
    case rematchPlayed
    case offersCrossed
    case drawAgreed
    case resigned
    case silentPeerLost
    case helloTookTooLong
    case frameTookTooLong
    case windowFull
    case cutInsideFrame
    case bothDown
    case leftAndCameBack
    case backupPutBack
    case twinPlayed
    case wishLostInCrash
    case overResumed
    case longSuspension
    case bothRestarted
    case dialIntoPartition
}
