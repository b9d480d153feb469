internal import FettleSQL

/// Pieces of SQL that several functions share, written once and pasted into each function that includes them.
///
/// A file `sql/core/includes/<name>.sql` holds a piece behind a comment that explains it. A line of a
/// function such as
///
/// ```sql
///   -- include: batch_of_lane of=s columns=p.id limit=1 also=true
/// ```
///
/// is replaced by the piece, with the indentation of the line. `{of}`, `{columns}` … are replaced by the
/// given values, which contain no spaces. PostgreSQL cannot inline a function that returns rows into a
/// function that runs under other settings, so the text is inlined here.
struct Fragments: Sendable {
  static let mark = "-- include: "
  private static let deepest = 4

  private let texts: [String: String]

  /// - Parameter texts: the text of each file in `sql/core/includes`, by its name without `.sql`.
  init(_ texts: [String: String]) {
    self.texts = texts.mapValues { text in
      text.split(separator: "\n").drop { $0.hasPrefix("--") }.joined(separator: "\n")
    }
  }

  /// Reads the pieces in `sql/core/includes`, for the engine and for apps.
  ///
  /// - Parameter other: texts to read instead of embedded files, by path below `sql/`.
  static func embedded(replacing other: [String: String] = [:]) -> Fragments {
    let texts = SQLFiles.below("core/includes").map {
      ($0.name.replacing(".sql", with: ""), other[$0.path] ?? $0.text)
    }
    return Fragments(Dictionary(texts) { first, _ in first })
  }

  /// Returns the text of a file with all pieces pasted.
  ///
  /// - Throws: ``RoutineFault`` if a piece does not exist, lacks a value, or is nested too deeply.
  func expanded(_ text: String, path: String, depth: Int = 0) throws(RoutineFault) -> String {
    guard text.contains(Self.mark) else { return text }
    var lines: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let indent = line.prefix { $0 == " " }
      guard line.dropFirst(indent.count).hasPrefix(Self.mark), line.first != "-" else {
        lines.append(String(line))
        continue
      }
      let words = line.dropFirst(indent.count + Self.mark.count).split(separator: " ")
      guard depth < Self.deepest, let name = words.first, var piece = texts[String(name)] else {
        throw RoutineFault(
          path: path,
          line: index + 1,
          message: "cannot include \(words.first ?? ""): no such file, or nested too deeply",
          hint: "write the text to includes/<name>.sql"
        )
      }
      for word in words.dropFirst() {
        guard let sign = word.firstIndex(of: "=") else { continue }
        piece = piece.replacing("{\(word[..<sign])}", with: word[word.index(after: sign)...])
      }
      guard !piece.contains("{") else {
        throw RoutineFault(
          path: path,
          line: index + 1,
          message: "\(name) needs a value for \(piece.drop { $0 != "{" }.prefix { $0 != "}" }.dropFirst())",
          hint: "write it as name=value"
        )
      }
      for pasted in try expanded(Self.indented(piece, by: indent), path: path, depth: depth + 1)
        .split(separator: "\n", omittingEmptySubsequences: false)
      { lines.append(String(pasted)) }
    }
    return lines.joined(separator: "\n")
  }

  private static func indented(_ text: String, by indent: Substring) -> String {
    text.split(separator: "\n").map { indent + $0 }.joined(separator: "\n")
  }
}
