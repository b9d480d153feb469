import Domain
import Foundation
import Testing

/// A recorded file from which the scripts of browsers are tested. To record it again, run its test with
/// FETTLE_RECORD=1.
enum VectorFile {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "BrowserTests/Vectors")

  /// Requires that a file has these members, each a list with one element in a line.
  static func require(_ name: String, _ lists: KeyValuePairs<String, [JSONValue]>) throws {
    let parts = lists.map { key, values in
      "\"\(key)\": [\n" + values.map(\.text).joined(separator: ",\n") + "\n]"
    }
    let text = "{\n" + parts.joined(separator: ",\n") + "\n}\n"
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["FETTLE_RECORD"] == "1" {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let difference = zip(text.split(separator: "\n"), recorded.split(separator: "\n")).first { $0 != $1 }
    #expect(
      text == recorded,
      "first different line: \(difference.map { "\($0.0) instead of \($0.1)" } ?? "length")"
    )
  }
}
