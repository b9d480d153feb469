import Foundation
import Testing

/// Rules for the sources whose violation no other test would show reliably.
@Suite struct SourceRuleTests {
  private static let root = Folder.tests.deletingLastPathComponent()

  /// Returns the sources of a folder by their paths.
  private static func sources(_ folder: String) throws -> [(path: String, text: String)] {
    let files = FileManager.default.enumerator(
      at: root.appending(path: folder),
      includingPropertiesForKeys: nil
    )
    return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
      .map { ($0.path, try String(contentsOf: $0, encoding: .utf8)) }
  }

  /// Returns what the closures of all calls of `withLock` contain.
  private static func lockedParts(of text: String) -> [Substring] {
    text.ranges(of: "withLock").compactMap { call in
      guard let open = text[call.upperBound...].firstIndex(of: "{") else { return nil }
      var depth = 0
      let close = text[open...].indices.first { index in
        if text[index] == "{" { depth += 1 }
        if text[index] == "}" { depth -= 1 }
        return depth == 0
      }
      return close.map { text[open...$0] }
    }
  }

  /// While the runtime cancels a task, it runs the task's cancellation handler, which may wait for the lock, and lets
  /// nobody resume or cancel the task meanwhile.
  @Test func `no task is resumed or cancelled under a lock`() throws {
    let sources = try Self.sources("Sources")
    #expect(sources.count > 500)
    var count = 0
    for source in sources {
      for part in Self.lockedParts(of: source.text) {
        count += 1
        #expect(!part.contains(/\.(resume|cancel)\(/), "\(source.path): \(part)")
      }
    }
    #expect(count > 200)
  }

  /// Foundation's `Process` may wait forever for a program that has ended, if many are started at the same time.
  @Test func `programs are started by Child only`() throws {
    for source in try Self.sources("Sources") + Self.sources("Tests") {
      #expect(!source.text.contains(/[^A-Za-z]Process\(\)/), "\(source.path)")
    }
  }
}
