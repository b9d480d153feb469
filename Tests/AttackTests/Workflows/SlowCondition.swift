import Domain
import Engine
import Store
import Testing

/// A condition on a text that takes PostgreSQL a few seconds, for tests of the time that conditions may take.
struct SlowCondition {
  /// The predicate; true for ``text``.
  ///
  /// Each character of the text makes PostgreSQL look ahead to the end of the text.
  let path: String

  /// - Parameter column: the column of the text.
  init(on column: String) {
    func pattern(_ last: String) -> String {
      let branches = "stuvwxyz".enumerated().map { "\($0.offset % 2 == 0 ? "a" : "b")(?=[ab]*\($0.element))" }
      return "(\(branches.joined(separator: "|")))\(last)"
    }
    path = "!($.\(column) like_regex \"\(pattern("c"))\" || $.\(column) like_regex \"\(pattern("d"))\")"
  }

  /// A text of the greatest length that a field may have, in which the pattern does not occur.
  static let text: String = {
    var random: UInt32 = 1
    let bytes = (0..<10_000).map { _ in
      random = random &* 1_664_525 &+ 1_013_904_223
      return UInt8(ascii: random >> 31 == 0 ? "a" : "b")
    }
    return String(decoding: bytes, as: UTF8.self)
  }()

  /// An overlay that adds the condition to a transition.
  func overlay(_ workflow: String, version: Int, transition: String) throws -> WorkflowOverlay {
    try YAMLDocument.decode(
      WorkflowOverlay.self,
      """
      overlay: \(workflow)@\(version)
      tighten:
        transitions:
          \(transition): { guards: [{ path: '\(path)', message: The text is odd }] }
      """,
      document: "overlay.yaml"
    )
  }

  /// Checks that an error names the condition, and is not a time-out of the statement.
  func expectNamed(by error: DomainError, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(error.code == .unavailable, "\(error)", sourceLocation: sourceLocation)
    #expect(error.details["condition"] == .string(path), sourceLocation: sourceLocation)
  }
}
