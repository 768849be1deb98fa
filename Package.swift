// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A Swift module with the house settings.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A test module, one folder for each module tested.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A program of the embedding guide, compiled as another package would: with what is public.
func example(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(folder)", packageAccess: false)
}

let package = Package(
    name: "ttt",
    products: [
        .library(name: "OnlinePlay", targets: ["OnlinePlay", "SessionProtocol"]),
        .library(name: "ServiceDiscovery", targets: ["ServiceDiscovery"]),
        .library(
            name: "TurnBasedPlay", targets: ["TurnBasedPlay", "MatchProtocol", "MatchEvents"]),
        .executable(name: "ttt", targets: ["ttt"]),
        .executable(name: "ttt-mdns", targets: ["ttt-mdns"]),
    ],
    targets: [
        module("SessionProtocol"),
        module("MatchProtocol", ["SessionProtocol"]),
        module("TicTacToe", ["MatchProtocol"]),
        module("MatchEvents", ["MatchProtocol", "CJansson"]),
        module("OnlinePlay", ["SessionProtocol", "COpenSSL", "CSodium", "CLinux"]),
        module("ResponderProtocol"),
        module("ServiceDiscovery", ["ResponderProtocol", "CAvahi", "CLinux"]),
        module(
            "TurnBasedPlay",
            [
                "MatchEvents", "MatchProtocol", "OnlinePlay", "ServiceDiscovery",
                "SessionProtocol", "COpenSSL", "CLinux",
            ]),
        module("TerminalUI", ["TicTacToe", "MatchEvents", "MatchProtocol", "CTerminal"]),
        .executableTarget(
            name: "ttt",
            dependencies: [
                "TurnBasedPlay", "TerminalUI", "TicTacToe", "MatchEvents", "MatchProtocol",
                "OnlinePlay", "ServiceDiscovery", "CArguments", "CLinux",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "ttt-mdns", dependencies: ["ResponderProtocol", "CAvahiCore"],
            swiftSettings: settings),

        .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
        .systemLibrary(name: "CAvahiCore", providers: [.apt(["libavahi-core-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CArguments"),
        .target(
            name: "CTerminal",
            linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),

        .systemLibrary(name: "CVTerm", path: "Tests/CVTerm", providers: [.apt(["libvterm-dev"])]),
        .target(
            name: "CPty", path: "Tests/CPty", linkerSettings: [.linkedLibrary("util")]),
        .executableTarget(
            name: "terminal-probe", dependencies: ["TerminalUI", "MatchEvents", "CLinux"],
            path: "Tests/TerminalProbe", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: ["SessionProtocol", "MatchProtocol", "TicTacToe"],
            path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "Simulation",
            dependencies: ["MatchProtocol", "SessionProtocol", "TicTacToe", "TestSupport"],
            path: "Tests/Simulation", swiftSettings: settings),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulate",
            swiftSettings: settings),
        tests("SimulationTests", ["Simulation", "TestSupport"]),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "MatchEvents", "MatchProtocol", "OnlinePlay", "ResponderProtocol",
                "ServiceDiscovery", "SessionProtocol", "TerminalUI", "TicTacToe", "TurnBasedPlay",
                "TestSupport",
            ],
            path: "Tests/Fuzz", exclude: ["Corpus"], swiftSettings: settings),
        tests("FuzzTests", ["FuzzTargets"]),
        tests("SessionProtocolTests", ["SessionProtocol", "TestSupport"]),
        tests(
            "MatchProtocolTests", ["MatchProtocol", "SessionProtocol", "TicTacToe", "TestSupport"]),
        tests("TicTacToeTests", ["TicTacToe", "MatchProtocol"]),
        tests("MatchEventsTests", ["MatchEvents", "MatchProtocol"]),
        .executableTarget(
            name: "echo-peer", dependencies: ["OnlinePlay", "SessionProtocol"],
            path: "Tests/EchoPeer", swiftSettings: settings),
        tests(
            "OnlinePlayTests",
            [
                "OnlinePlay", "SessionProtocol", "TestSupport", "CLinux", "COpenSSL", "echo-peer",
            ]),
        tests("OnlineValueTests", ["OnlinePlay", "SessionProtocol"]),
        example("echo", "Echo", ["OnlinePlay", "SessionProtocol"]),
        example("nim", "Nim", ["TurnBasedPlay", "MatchEvents", "MatchProtocol", "OnlinePlay"]),
        .target(
            name: "Snippets",
            dependencies: [
                "TurnBasedPlay", "MatchEvents", "MatchProtocol", "OnlinePlay", "SessionProtocol",
                "ServiceDiscovery",
            ], path: "Examples/Snippets", packageAccess: false),
        .executableTarget(
            name: "discovery-probe", dependencies: ["ServiceDiscovery"],
            path: "Tests/DiscoveryProbe", swiftSettings: settings),
        tests("ServiceDiscoveryTests", ["ServiceDiscovery", "ResponderProtocol"]),
        tests(
            "TurnBasedPlayTests",
            [
                "TurnBasedPlay", "MatchEvents", "MatchProtocol", "OnlinePlay", "SessionProtocol",
                "TicTacToe", "TestSupport",
            ]),
        tests(
            "TerminalUITests",
            [
                "TerminalUI", "MatchEvents", "MatchProtocol", "TicTacToe", "CPty", "CVTerm",
                "terminal-probe",
            ], resources: [.copy("Fixtures")]),
    ]
)
