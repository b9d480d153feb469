import EndToEndFixtures
import FoundationEssentials

/// A document that costs a careless reader much more than its size.
enum Bomb: String, CaseIterable, Sendable {
  case aliases, anchors, deepLists, deepBlocks, manyValues, manyKeys, manyBytes

  /// The document in YAML: text that a key of any document may hold.
  private var value: String {
    switch self {
    case .aliases: Self.laughs
    case .anchors: "&a [1]"
    case .deepLists: String(repeating: "[", count: 200_000)
    case .deepBlocks: "\n            " + String(repeating: "- ", count: 200_000) + "x"
    case .manyValues: "[" + String(repeating: "1,", count: 450_000) + "1]"
    case .manyKeys: "{ \(Self.keys(60_000, separator: ": ")) }"
    case .manyBytes: "'" + String(repeating: "x", count: 20_000_000) + "'"
    }
  }

  /// Nine levels, each with nine aliases of the level above.
  private static var laughs: String {
    var levels = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    for level in 1..<9 {
      let aliases = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
      levels.append("l\(level): &l\(level) [\(aliases)]")
    }
    return "{ \(levels.joined(separator: ", ")) }"
  }

  /// Returns the members of an object with many keys.
  static func keys(_ count: Int, quote: String = "", separator: String) -> String {
    let members: [String] = (0..<count).map { "\(quote)k\($0)\(quote)\(separator)1" }
    return members.joined(separator: ",")
  }

  /// The part of the refusal that says why.
  var reason: String {
    switch self {
    case .aliases, .anchors: "anchors and aliases are not allowed"
    case .deepLists, .deepBlocks: "nest"
    case .manyValues: "more than 100000 values"
    case .manyKeys: "keys"
    case .manyBytes: "larger than"
    }
  }

  /// A workflow with the bomb among the given values of a test.
  var workflow: String {
    """
    workflow: demo.thing
    version: 1
    initial: open
    states: { open: { label: Open, category: open, final: true } }
    transitions: {}
    tests:
      - name: bomb
        steps: []
        given:
          bomb: \(value)
    """
  }

  /// An overlay with the bomb among its labels.
  var overlay: String { "overlay: maintenance.entry@2\nrelabel: \(value)\n" }

  /// A manifest with the bomb among its messages.
  var manifest: String { "app: demo\nversion: 1\ntitle: Demo\nmessages: \(value)\n" }

  /// A provisioning file with the bomb in a record.
  var provisioning: String {
    "companies:\n  - slug: acme\n    machines:\n      RM-1:\n        name: \(value)\n"
  }
}

extension Shell {
  /// Runs a command with 2 GB of address space and a minute of processor time. With a sanitizer, it has ten minutes
  /// and no limit of memory.
  func confined(_ line: String) async throws -> FettleProcess.Outcome {
    try await bash("\(Sanitizer.limits(megabytes: 2_000, seconds: 60)); fettle \(line)")
  }
}
