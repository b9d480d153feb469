internal import Domain
internal import FettleSQL
internal import Secrets

/// A function or a view in its own file, which is applied again whenever the file changes.
///
/// The file has the name of the object. It contains a ``RoutineHeader``, one `create function` or `create
/// view`, and comments on the columns of a view; owner and grants come from the header.
package struct Routine: Sendable {
  package enum Kind: String, Sendable {
    case function, view
  }

  /// The owner of the file: `core`, or an app's name.
  package let app: String
  package let schema: String
  /// The name without the schema, equal to the name of the file.
  package let name: String
  package let kind: Kind
  /// The path in the folder of the app, such as `routines/access/current_company.sql`.
  package let path: String
  package let header: RoutineHeader
  /// The definition first, then comments on columns.
  package let statements: [ScriptStatement]
  /// SHA-256 of the file. If it differs, the file is applied again.
  package let checksum: [UInt8]
  /// SHA-256 of a function's owner, parameters and result, or of a whole view. If it differs, the object is
  /// dropped before the file is applied.
  package let interface: [UInt8]

  /// The objects that must exist before this one is created, as `schema.name`.
  let needs: Set<String>
  /// The objects that cannot be dropped while this one exists, as `schema.name`.
  let holds: Set<String>

  /// `schema.name`.
  package var qualifiedName: String { "\(schema).\(name)" }

  /// Reads a file.
  ///
  /// - Parameter path: the path in the folder of the app; its last component names the object.
  /// - Throws: ``RoutineFault`` if the file does not contain one definition of the object with a valid
  ///   header.
  package init(app: String, schema: String, kind: Kind, path: String, text: String) throws(RoutineFault) {
    self.app = app
    self.schema = schema
    self.kind = kind
    self.path = path
    let stem = (path.split(separator: "/").last ?? "").dropLast(4)
    name = String(stem)
    let header = try RoutineHeader(text, path: path)
    self.header = header
    statements = StatementSplitter.split(text)
    checksum = SHA256.hash(text)
    try Self.check(statements, defines: "\(schema).\(stem)", kind, path)
    if kind == .view, !header.execute.isEmpty || !header.settings.isEmpty || header.owner != "fettle_owner" {
      throw Self.fault(
        path,
        "a view cannot have owner, execute or set",
        "name its readers with `-- select: …`"
      )
    }
    if kind == .function, !header.columns.isEmpty {
      throw Self.fault(
        path,
        "a function cannot have columns",
        "declare what it returns in `returns table (…)`"
      )
    }
    let definition = statements[0].text
    let own = "\(schema).\(stem)"
    let all = QualifiedNames.all(in: definition).subtracting([own])
    guard kind == .function else {
      interface = checksum
      needs = all
      holds = all
      return
    }
    let words = definition.split { " \n\t".contains($0) }
    let signature = words.prefix { $0 != "language" }.joined(separator: " ")
    let language = words.drop { $0 != "language" }.dropFirst().first
    interface = SHA256.hash("\(header.owner) \(signature)")
    let named = QualifiedNames.all(in: signature).subtracting([own])
    // PostgreSQL parses a plpgsql body at its first run, and a quoted body leaves no dependency in the
    // catalogue.
    needs = language == "plpgsql" ? named : all
    holds = definition.contains("$$") ? named : all
  }

  private static func check(
    _ statements: [ScriptStatement],
    defines name: String,
    _ kind: Kind,
    _ path: String
  ) throws(RoutineFault) {
    // The name becomes part of the migrator's own statements.
    guard name.split(separator: ".").allSatisfy({ Identifier.isWord(String($0)) }) else {
      throw fault(path, "the file's name is not a word", "name the file like the \(kind.rawValue)")
    }
    let beginning = "create \(kind.rawValue) \(name)"
    guard let first = statements.first, first.text.hasPrefix(beginning),
      let next = first.text.dropFirst(beginning.count).first, "( \n".contains(next)
    else {
      throw fault(
        path,
        "the file does not begin with `\(beginning)`",
        "name the file like the \(kind.rawValue)"
      )
    }
    for statement in statements.dropFirst() where !statement.text.hasPrefix("comment on column \(name).") {
      throw RoutineFault(
        path: path,
        line: statement.line,
        message: "the file holds more than one \(kind.rawValue)",
        hint: "keep only comments on columns after it; owner, grants and the comment come from the header"
      )
    }
  }

  private static func fault(_ path: String, _ message: String, _ hint: String) -> RoutineFault {
    RoutineFault(path: path, line: 1, message: message, hint: hint)
  }
}
