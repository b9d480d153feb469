import TestDatabase
import Testing

/// The example app with one omission: a column, a privilege, or an entry of its manifest.
struct Omission: Sendable, CustomTestStringConvertible {
  let name: String
  let app: ExampleApp
  /// SQL of a second version that revokes a privilege; nil to test the first version.
  let revoke: String?

  var testDescription: String { name }

  init(_ name: String, _ app: ExampleApp, revoke: String? = nil) {
    (self.name, self.app, self.revoke) = (name, app, revoke)
  }

  private static let sql = "tables/01_trees.sql"
  private static let page = "orchard.app.yaml"
  private static let workflow = "tree.workflow.yaml"

  /// All omissions of the example.
  static func all() throws -> [Omission] {
    let app = try ExampleApp.read()
    return try columns(of: app) + baseColumns(of: app) + viewColumns(of: app) + mentions(in: app)
      + wholeColumn(of: app) + rights(of: app)
  }

  /// Each column that the SQL declares, with its comment.
  private static func columns(of app: ExampleApp) -> [Omission] {
    let lines = Self.lines(of: app, sql)
    return lines.indices.compactMap { index in
      guard let column = Self.column(declaredBy: lines[index]) else { return nil }
      let rest = lines.enumerated().filter { $0.offset != index }.map(\.element)
      let text = withoutComments(on: column, rest).joined(separator: "\n")
      return Omission("column \(column) at line \(index + 1)", app.adding(sql, text))
    }
  }

  /// Each base column of records.
  private static func baseColumns(of app: ExampleApp) -> [Omission] {
    let base = [
      "company_id", "id", "version", "created_by", "created_at", "updated_by", "updated_at", "deleted_at",
      "client_created_at", "origin_device", "history_seq", "history_hash",
    ]
    return ["tree", "harvest"].flatMap { table in
      base.map { column in
        let dropped = "\(app.files[sql] ?? "")\nalter table orchard.\(table) drop column \(column) cascade;\n"
        return Omission("base column \(table).\(column)", app.adding(sql, dropped))
      }
    }
  }

  /// Each column of each view, with its comment.
  private static func viewColumns(of app: ExampleApp) throws -> [Omission] {
    try app.files.keys.filter { $0.hasPrefix("views/") || $0.hasPrefix("reports/") }.sorted().flatMap {
      file in
      let text = app.files[file] ?? ""
      let start = try #require(text.firstRange(of: "\nselect\n"))
      let end = try #require(text[start.upperBound...].firstRange(of: "\nfrom "))
      let columns = text[start.upperBound..<end.lowerBound].split(separator: ",").map(String.init)
      return columns.indices.map { index in
        let rest = columns.enumerated().filter { $0.offset != index }.map(\.element).joined(separator: ",")
        let name = columns[index].split { $0 == "." || $0.isWhitespace }.last.map(String.init) ?? ""
        let changed = text[..<start.upperBound] + rest + text[end.lowerBound...]
        let lines = changed.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Omission(
          "\(file): \(name)",
          app.adding(file, withoutComments(on: name, lines).joined(separator: "\n"))
        )
      }
    }
  }

  /// Each element of each list in the manifest and the workflow, and each line with a grant.
  private static func mentions(in app: ExampleApp) -> [Omission] {
    [page, workflow].flatMap { file in
      let lines = Self.lines(of: app, file)
      return lines.indices.flatMap { index -> [Omission] in
        func without(_ line: String?, _ what: String) -> Omission {
          var changed = lines
          if let line { changed[index] = line } else { changed.remove(at: index) }
          let name = "\(file):\(index + 1) \(what)"
          return Omission(name, app.adding(file, changed.joined(separator: "\n")))
        }
        let line = lines[index]
        guard let open = line.firstIndex(of: "["), let close = line[open...].firstIndex(of: "]") else {
          return line.contains("on_delete") || line.contains("permission:") ? [without(nil, line)] : []
        }
        let items = line[line.index(after: open)..<close].split(separator: ",").map { $0.drop { $0 == " " } }
        let parts = items.indices.map { skipped in
          let rest = items.enumerated().filter { $0.offset != skipped }.map(\.element).joined(separator: ", ")
          return without("\(line[...open])\(rest)\(line[close...])", String(items[skipped]))
        }
        return line.contains("{") ? parts : parts + [without(nil, line)]
      }
    }
  }

  /// An optional column, removed from all files.
  private static func wholeColumn(of app: ExampleApp) throws -> [Omission] {
    let files = app.files.mapValues { text in
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.hasPrefix("  planted_on ") && !$0.contains("tree.planted_on") }
        .map { $0.replacing(", planted_on", with: "").replacing(", t.planted_on", with: "") }
        .joined(separator: "\n")
    }
    #expect(files.values.allSatisfy { !$0.contains("planted_on") })
    return [Omission("planted_on everywhere", ExampleApp(files: files))]
  }

  /// Each privilege granted by an installation, revoked by a later version.
  private static func rights(of app: ExampleApp) throws -> [Omission] {
    let next = try app.upgraded()
    let tables = ["orchard.tree", "orchard.harvest"].flatMap { table in
      ["select", "insert", "update"].flatMap { right in
        ["fettle_app", "fettle_worker", "fettle_admin"].map { "revoke \(right) on \(table) from \($0)" }
      }
    }
    let others = [
      "revoke usage on schema orchard from fettle_app",
      "revoke select (kilograms) on orchard.harvest from fettle_report",
      "revoke select on orchard.v_tree from fettle_app",
      "revoke all on orchard.tree, orchard.harvest from fettle_app, fettle_worker, fettle_admin",
    ]
    return (tables + others).map {
      Omission($0, next.adding("changes/0002_revoke.sql", "\($0);\n"), revoke: $0)
    }
  }

  private static func lines(of app: ExampleApp, _ file: String) -> [String] {
    (app.files[file] ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the column declared by a line of `create table`.
  private static func column(declaredBy line: String) -> String? {
    guard line.hasPrefix("  "), !line.hasPrefix("   "), let word = line.split(separator: " ").first else {
      return nil
    }
    return ["like", "primary", "foreign", "check", "unique", "constraint"].contains(word) ? nil : String(word)
  }

  /// Removes the comments on a column, which are statements of one line.
  private static func withoutComments(on column: String, _ lines: [String]) -> [String] {
    lines.filter { !($0.hasPrefix("comment on column ") && $0.contains(".\(column) is ")) }
  }
}
