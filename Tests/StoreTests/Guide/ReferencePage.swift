import Domain
import Foundation
import Store

/// `deploy/guide/reference.md` as data: the examples of each format, and the keys of each of its objects.
struct ReferencePage {
  /// An object of a format and the keys documented for it.
  struct Documented {
    /// `types`, `<type>`, `edit`, `[]`: a name in angle brackets stands for any key, `[]` for any element.
    let path: [String]
    var keys: Set<String> = []
    /// Keys that the decoder recognises only to refuse them.
    var refused: Set<String> = []
  }

  /// A format: the text of its example and its objects.
  struct Format {
    var example = ""
    var objects: [Documented] = []
  }

  /// The formats by their heading: Manifest, Workflow, Overlay, Provisioning.
  private(set) var formats: [String: Format] = [:]

  /// The folder of the guide in the sources.
  static var folder: URL {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return tests.deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/guide")
  }

  init() throws {
    let text = try String(contentsOf: Self.folder.appending(path: "reference.md"), encoding: .utf8)
    var heading = ""
    var isInExample = false
    var isInRefusal = false
    for line in text.components(separatedBy: "\n") {
      if isInExample {
        isInExample = line != "```"
        if isInExample { formats[heading]?.example += line + "\n" }
      } else if line.hasPrefix("## ") {
        heading = String(line.dropFirst(3))
        formats[heading] = Format()
      } else if line == "```yaml" {
        isInExample = true
      } else if line.hasPrefix("### `"), let path = Self.quoted(line).first {
        formats[heading]?.objects.append(Documented(path: Self.components(of: path)))
      } else if line.hasPrefix("| `"), let key = Self.quoted(line).first {
        Self.changeLast(&formats[heading]) { $0.keys.insert(key) }
      } else if isInRefusal || line.hasPrefix("Recognised and refused") {
        isInRefusal = !line.isEmpty
        Self.changeLast(&formats[heading]) { $0.refused.formUnion(Self.quoted(line)) }
      }
    }
  }

  /// The example of a format as dictionaries, arrays and values.
  func tree(_ heading: String) throws -> Any {
    let example = formats[heading]?.example ?? ""
    let value = try YAMLDocument.decode(JSONValue.self, example, document: heading)
    return try JSONSerialization.jsonObject(with: Data(value.text.utf8))
  }

  private static func changeLast(_ format: inout Format?, _ change: (inout Documented) -> Void) {
    guard let last = format?.objects.indices.last else { return }
    if var object = format?.objects[last] {
      change(&object)
      format?.objects[last] = object
    }
  }

  private static func quoted(_ line: String) -> [String] {
    line.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
  }

  private static func components(of path: String) -> [String] {
    guard path != "." else { return [] }
    return path.split(separator: ".").flatMap { part in
      part.hasSuffix("[]") ? [String(part.dropLast(2)), "[]"] : [String(part)]
    }
  }
}
