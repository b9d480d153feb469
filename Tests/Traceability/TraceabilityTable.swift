import Foundation

/// `requirements.md`: one row per requirement, with its proofs.
struct TraceabilityTable {
  /// The content of a proof cell.
  enum Proof: Equatable {
    /// A test, as `Suite/sentence`.
    case test(String)
    /// A part that a later release adds: the capability, and the part.
    case later(String, String)
    /// Not part of this product.
    case clientOnly
    case unreadable(String)

    init(_ text: String) {
      if text == "none: client only" {
        self = .clientOnly
      } else if text.hasPrefix("later: "), let open = text.firstIndex(of: "("), text.hasSuffix(")") {
        let capability = text[text.index(text.startIndex, offsetBy: 7)..<open].trimmingCharacters(
          in: .whitespaces
        )
        self = .later(capability, String(text[text.index(after: open)...].dropLast()))
      } else if let slash = text.firstIndex(of: "/"),
        text[..<slash].allSatisfy({ $0.isLetter || $0.isNumber })
      {
        self = .test(text)
      } else {
        self = .unreadable(text)
      }
    }
  }

  struct Row {
    let id: String
    let proofs: [Proof]

    /// The capabilities that it assigns to later releases.
    var later: Set<String> {
      Set(proofs.compactMap { if case .later(let capability, _) = $0 { capability } else { nil } })
    }

    /// Returns the reason to refuse its `later:`; nil if it lists exactly the open capabilities.
    func refusal(open: Set<String>) -> String? {
      let unlisted = later.subtracting(open).sorted()
      let unsaid = open.subtracting(later).sorted()
      if !unlisted.isEmpty { return "\(id) is not open in \(unlisted.joined(separator: ", "))" }
      return unsaid.isEmpty ? nil : "\(id) is open in \(unsaid.joined(separator: ", ")) and does not say so"
    }
  }

  let rows: [Row]

  /// The capabilities of later releases.
  static let capabilities: Set = ["documents"]

  static func read() throws -> TraceabilityTable {
    let text = try String(contentsOf: Folder.own.appending(path: "requirements.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").compactMap { line -> Row? in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 4, cells[1].contains("-"), !cells[1].hasPrefix("-") else { return nil }
      let proofs = cells[2].components(separatedBy: "<br>").map { $0.trimmingCharacters(in: .whitespaces) }
      return Row(id: cells[1], proofs: proofs.filter { !$0.isEmpty }.map(Proof.init))
    }
    return TraceabilityTable(rows: rows)
  }
}

/// The ids that the table must contain, as listed in the requirements.
enum RequirementList {
  struct Entry {
    let id: String
    /// `B` and `E` belong to this product, `U` to the client alone.
    let kind: String
    /// The capabilities that are missing for a full proof; empty if nothing is open.
    let open: Set<String>
  }

  static func read() throws -> [Entry] {
    let text = try String(contentsOf: Folder.own.appending(path: "requirements.csv"), encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Entry(id: cells[0], kind: cells[1], open: Set(cells[2].split(separator: "+").map(String.init)))
    }
  }
}

/// All tests of the source, as `Suite/sentence`.
enum TestNames {
  static func read(below folder: URL = Folder.tests) throws -> Set<String> {
    var names: Set<String> = []
    let suite = /(?:@Suite[^\n]*struct|\nextension) (\w+)/
    let sentence = /func\s+`([^`]+)`/
    for file in try Folder.swiftFiles(below: folder) {
      let text = try String(contentsOf: file, encoding: .utf8)
      let suites = text.matches(of: suite)
      for match in text.matches(of: sentence) {
        guard let own = suites.last(where: { $0.range.lowerBound < match.range.lowerBound }) else { continue }
        names.insert("\(own.output.1)/\(match.output.1)")
      }
    }
    return names
  }
}

/// The folder of the test sources.
enum Folder {
  static var own: URL { URL(filePath: #filePath).deletingLastPathComponent() }
  static var tests: URL { own.deletingLastPathComponent() }

  static func swiftFiles(below folder: URL) throws -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
  }
}
