import Testing

/// A query of a file of `sql/lint`: a line `-- <mark>: name — meaning`, then one SELECT.
struct NamedQuery: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String

  var testDescription: String { name }

  /// Returns the queries of a file in order.
  static func read(_ path: String, mark: String) -> [NamedQuery] {
    // Read where tests are declared, which cannot throw; a test checks that the file exists.
    let text = (try? SourceTree.text(path)) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var queries: [NamedQuery] = []
    for line in lines {
      if line.hasPrefix("-- \(mark): ") {
        let name = line.dropFirst(mark.count + 5).prefix { $0 != " " }
        queries.append(NamedQuery(name: String(name), text: ""))
      } else if let last = queries.popLast() {
        queries.append(NamedQuery(name: last.name, text: last.text + line + "\n"))
      }
    }
    return queries.map { query in
      // The semicolon ends the statement in psql; here each one is sent without it.
      let text = query.text.split(separator: ";\n", maxSplits: 1).first.map(String.init) ?? ""
      return NamedQuery(name: query.name, text: text)
    }
  }

  static let lints = read("sql/lint/lint.sql", mark: "lint")
  static let enumerations = read("sql/lint/enumerate.sql", mark: "query")

  static func enumeration(_ name: String) -> String {
    enumerations.first { $0.name == name }?.text ?? "select 'there is no query \(name)'"
  }
}
