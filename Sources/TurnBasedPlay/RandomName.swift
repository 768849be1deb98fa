// SPDX-License-Identifier: MIT

/// Names for players who did not give one: two random words, which tell nothing about anybody.
public enum RandomName {
    private static let qualities = [
        "amber", "bold", "brave", "bright", "calm", "clever", "cosy", "crisp", "daring", "dusty",
        "eager", "early", "fair", "fancy", "fleet", "fond", "gentle", "glad", "golden", "grand",
        "happy", "hardy", "honest", "humble", "jolly", "keen", "kind", "late", "light", "lively",
        "lucky", "lunar", "mellow", "merry", "mild", "misty", "modest", "neat", "nimble", "noble",
        "odd", "patient", "plain", "polite", "proud", "quick", "quiet", "rapid", "rosy", "rustic",
        "silent", "silver", "sly", "smart", "snowy", "solar", "steady", "sunny", "swift", "tidy",
        "vivid", "warm", "wild", "wise",
    ]
    private static let animals = [
        "ant", "badger", "bat", "bear", "beaver", "bee", "bison", "boar", "camel", "cat", "crab",
        "crane", "crow", "deer", "dolphin", "dove", "duck", "eagle", "eel", "elk", "falcon",
        "ferret", "finch", "fox", "frog", "goat", "goose", "hare", "hawk", "hedgehog", "heron",
        "horse", "ibis", "jay", "koala", "lark", "lion", "lizard", "llama", "lynx", "mole", "moose",
        "moth", "mouse", "newt", "otter", "owl", "ox", "panda", "pike", "puffin", "quail", "rabbit",
        "raven", "robin", "salmon", "seal", "shrew", "sparrow", "stork", "swan", "toad", "trout",
        "wren",
    ]

    /// Makes a name such as `quiet otter`.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        let quality = qualities.randomElement(using: &generator) ?? "plain"
        let animal = animals.randomElement(using: &generator) ?? "fox"
        return quality + " " + animal
    }
}
