// SPDX-License-Identifier: MIT

import Foundation
import FuzzTargets
import Testing

/// What the fuzzers begin with, and what they once found, is right in every build.
@Suite struct CorpusTests {
    /// `Tests/Fuzz/Corpus` of the checkout.
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus")

    @Test(arguments: FuzzTarget.allCases)
    func `every seed passes its target`(target: FuzzTarget) throws {
        let seeds = try FileManager.default.contentsOfDirectory(
            at: Self.corpus.appending(path: target.rawValue), includingPropertiesForKeys: nil)
        #expect(!seeds.isEmpty)
        for seed in seeds { target.run([UInt8](try Data(contentsOf: seed))) }
    }
}
