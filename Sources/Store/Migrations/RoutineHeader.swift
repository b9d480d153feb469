/// The comment at the top of a file of a function or view, which says what the migrator adds to it.
///
/// ```sql
/// -- Returns the pauses and limits of all companies, for workers.
/// --
/// -- Further remarks, which stay in the file.
/// -- owner: fettle_auth
/// -- execute: fettle_worker, fettle_admin
/// -- set: enable_seqscan = off, jit = off
/// create function core.job_rules()
/// ```
///
/// The first paragraph becomes the comment of the object. `owner` is `fettle_owner` unless given; `execute`
/// (of a function) and `select` (of a view) name the roles that may use it, and nobody else may; `set` lists
/// settings that hold while a function runs; `columns` (of a view) lists name and type of every column, for readers
/// who rely on them.
package struct RoutineHeader: Sendable, Equatable {
  /// A setting that applies while a function runs.
  package struct Setting: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  package private(set) var description = ""
  package private(set) var owner = "fettle_owner"
  package private(set) var execute: [String] = []
  package private(set) var select: [String] = []
  package private(set) var settings: [Setting] = []
  /// Name and type of each column of a view; empty if they are not declared.
  package private(set) var columns: [String] = []
  /// The number of lines that the header has in the file.
  package private(set) var lines = 0

  /// The roles that a header may name.
  package static let roles = [
    "fettle_owner", "fettle_auth", "fettle_app", "fettle_worker", "fettle_admin", "fettle_report",
    "fettle_report_company", "fettle_author", "fettle_eraser", "fettle_backup",
  ]

  private static let keys = ["owner", "execute", "select", "set", "columns"]

  /// Parses the comment lines at the top of a file.
  ///
  /// - Throws: ``RoutineFault`` if there is no description, or a role or setting is not valid.
  init(_ text: String, path: String) throws(RoutineFault) {
    var key: String?
    var isDescribed = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("--") else { break }
      lines += 1
      let content = line.dropFirst(2).trimmed
      if let (next, value) = Self.directive(content) {
        key = next
        isDescribed = true
        try add(value, to: next, path)
      } else if content.isEmpty {
        key = nil
        isDescribed = isDescribed || !description.isEmpty
      } else if let key {
        try add(content, to: key, path)
      } else if !isDescribed {
        description += (description.isEmpty ? "" : " ") + content
      }
    }
    guard !description.isEmpty else {
      throw RoutineFault(
        path: path,
        line: 1,
        message: "the file does not begin with a description",
        hint: "begin it with `-- Returns …`, in one sentence"
      )
    }
  }

  private static func directive(_ content: String) -> (key: String, value: String)? {
    guard let colon = content.firstIndex(of: ":"), keys.contains(String(content[..<colon])) else {
      return nil
    }
    return (String(content[..<colon]), content[content.index(after: colon)...].trimmed)
  }

  private mutating func add(_ value: String, to key: String, _ path: String) throws(RoutineFault) {
    let items = value.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
    switch key {
    case "set": for item in items { settings.append(try setting(item, path)) }
    case "owner": owner = try items.count == 1 ? role(items[0], path) : role(value, path)
    case "columns": columns += items
    case "execute": for item in items { execute.append(try role(item, path)) }
    default: for item in items { select.append(try role(item, path)) }
    }
  }

  private func role(_ name: String, _ path: String) throws(RoutineFault) -> String {
    guard Self.roles.contains(name) else {
      throw RoutineFault(
        path: path,
        line: lines,
        message: "there is no role \(name)",
        hint: "name one of: \(Self.roles.joined(separator: ", "))"
      )
    }
    return name
  }

  private func setting(_ text: String, _ path: String) throws(RoutineFault) -> Setting {
    let sides = text.split(separator: "=", omittingEmptySubsequences: false).map(\.trimmed)
    let isWord = { (word: String) in
      !word.isEmpty
        && word.utf8.allSatisfy { $0 == 0x5F || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }
    guard sides.count == 2, sides.allSatisfy(isWord) else {
      throw RoutineFault(
        path: path,
        line: lines,
        message: "\(text) is not a setting",
        hint: "write `-- set: name = value, name = value`; search_path belongs to the definition itself"
      )
    }
    return Setting(name: sides[0], value: sides[1])
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var rest = self
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
