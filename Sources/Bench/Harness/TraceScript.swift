internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// A pgbench script that repeats the traced statements of a unit of work in the same round trips.
///
/// Every statement has the engine's text, as traced, and every bound value stays bound. Ids and numbers that differ between
/// units of work are computed; the other values have their traced value. The differences from the engine:
///
/// - Ids are computed by the server from numbers (`lpad($1::text, 32, '0')::uuid`), because pgbench has no UUIDs; in texts
///   and long arrays, they are replaced by the server.
/// - Versions and history numbers increase by more than one, because pgbench cannot read the last one in time.
/// - Times are `now()`; the engine binds a time that it has read. Digests, and texts without new ids, are constant.
/// - Null values are written as `null`.
/// - The engine also notifies idle workers and serving processes, in separate transactions, up to a hundred times per
///   second; pgbench does not.
/// - pgbench sends and receives values as text, the engine in binary form.
struct TraceScript: Sendable {
  /// The values of a unit of work that pgbench computes, besides new ids.
  struct Marks {
    /// The record, whose number is `:e`, and the company, if it differs, whose number is `:c`.
    var entry: UUID?, company: UUID?
    var device: Int?
    var versions: [Int64] = []
    /// The digits with which new numbers in texts begin; three digits follow.
    var digits: [String] = []
  }

  private(set) var text = ""
  private let marks: Marks
  /// Bound values as text, since pgbench binds text only: the type in SQL, and the value, nil for null.
  private typealias Literals = [BoundValue: (type: String, text: String?)]
  private let literals: Literals
  private let known: Set<String>
  private var fresh: [String: Int] = [:]
  private var usesPrefix = false
  private var now: Int64?
  private var names: [String: String] = [:]

  /// The beginning of new ids in texts; twelve digits follow.
  private static let prefix = "PPPPPPPP-PPPP-PPPP-PPPP"
  private static let runs = Mutex(0)

  /// - Parameter head: lines that set `:e` and `:c`.
  init(_ trace: Trace, _ server: BenchServer, _ marks: Marks, head: [String] = []) async throws {
    self.marks = marks
    literals = try await Self.literals(trace.roundTrips, server)
    known = Set(try await Self.literals(trace.before, server).values.compactMap(\.text).flatMap(Self.ids))
    var body: [String] = []
    for roundTrip in trace.roundTrips {
      body += ["\\startpipeline"] + roundTrip.map { rewritten($0) + ";" } + ["\\endpipeline"]
    }
    var lines = head + ["\\set n :n + 1", "\\set base (:run * 1000000 + :n) * 64 + :client_id"]
    lines += marks.versions.enumerated().map { "\\set s\($1) :base * 4 + \($0)" }
    if marks.digits.isEmpty { lines += fresh.values.sorted().map { "\\set f\($0) :base * 10000 + \($0)" } }
    if usesPrefix {
      let digits = "regexp_replace(lpad(:base::text, 20, '0'), '(.{8})(.{4})(.{4})', '\\1-\\2-\\3-')"
      lines.append("select \(digits) as prefix, :base::text as digits \\gset")
    }
    text = (lines + body).joined(separator: "\n") + "\n"
  }

  /// The variables for a run of pgbench, so that no two runs use the same ids.
  var variables: [String: String] {
    let run = Self.runs.withLock { runs in
      runs += 1
      return runs
    }
    return names.reduce(into: ["n": "0", "run": "\(run)"]) { $0[$1.value] = $1.key }
  }

  private mutating func rewritten(_ statement: SQL) -> String {
    if now == nil { now = statement.boundValues.first { $0.type == PostgresType.timestamptz.oid }?.integer }
    let expressions = statement.boundValues.map { expression($0) }
    return statement.text { expressions[$0] }
  }

  private mutating func expression(_ value: BoundValue) -> String {
    guard let (type, text) = literals[value], let text else {
      return "null::\(literals[value]?.type ?? "text")"
    }
    let constant = ":\(name(text))::\(type)"
    let version = marks.versions.first { ["\($0)", "{\($0)}"].contains(text) }
    switch value.type {
    case PostgresType.uuid.oid: return computed(text) ?? constant
    case PostgresType.uuid.arrayOID where marks.digits.isEmpty:
      let ids = Self.ids(text).map { ($0, computed($0)) }
      guard ids.contains(where: { $1 != nil }) else { return constant }
      return "array[\(ids.map { $1 ?? "'\($0)'::uuid" }.joined(separator: ", "))]"
    case PostgresType.int8.oid where version != nil: return ":s\(version ?? 0)::bigint"
    case PostgresType.int8.arrayOID where version != nil: return "array[:s\(version ?? 0)::bigint]"
    case PostgresType.timestamptz.oid:
      guard let time = value.integer, let now, time != now, marks.digits.isEmpty else { return "now()" }
      return "now() + interval '\((time - now) / 1_000_000) seconds'"
    // The setting of the company.
    case PostgresType.text.oid where text == marks.company?.text: return "lpad(:c::text, 32, '0')"
    default: return marks.digits.isEmpty ? constant : replaced(text, type) ?? constant
    }
  }

  /// Returns the expression for an id; nil for one that is the same in every unit of work.
  private mutating func computed(_ id: String) -> String? {
    func lpad(_ number: String) -> String { "lpad(\(number)::text, 32, '0')::uuid" }
    if id == marks.entry?.text { return lpad(":e") }
    if let company = marks.company {
      if id == company.text { return lpad(":c") }
      // The first half of a lane is the second half of its company.
      let half = company.text.suffix(17).filter { $0 != "-" }
      if id.filter({ $0 != "-" }).hasPrefix(half) { return "rpad(lpad(:c::text, 16, '0'), 32, '0')::uuid" }
    }
    if let device = marks.device, id == Fixture.id(device).text { return lpad("(\(device) + :client_id)") }
    guard !known.contains(id) else { return nil }
    if !marks.digits.isEmpty { return replaced(id, "uuid") }
    let number = fresh[id] ?? fresh.count
    fresh[id] = number
    return lpad(":f\(number)")
  }

  /// Returns the expression for a text with new ids and numbers; nil for one without.
  private mutating func replaced(_ text: String, _ type: String) -> String? {
    var marked = text
    for id in Set(Self.ids(text)) where !known.contains(id) {
      let number = fresh[id] ?? fresh.count
      fresh[id] = number
      marked = marked.replacing(id, with: "\(Self.prefix)-\(String(1_000_000_000_000 + number).dropFirst())")
    }
    guard marked != text || marks.digits.contains(where: text.contains) else { return nil }
    usesPrefix = true
    let value = "replace(:\(name(marked))::text, '\(Self.prefix)', :prefix)"
    return marks.digits.reduce(value) { "replace(\($0), '\($1)', :digits)" } + "::\(type)"
  }

  private mutating func name(_ text: String) -> String {
    let name = names[text] ?? "k\(names.count)"
    names[text] = name
    return name
  }

  private static func ids(_ text: String) -> [String] {
    text.matches(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/).map { String($0.output.0) }
  }

  /// Reads the text and the type of every bound value of these statements from the server.
  private static func literals(_ roundTrips: [[SQL]], _ server: BenchServer) async throws -> Literals {
    try await server.withConnection { superuser in
      var literals: Literals = [:]
      for value in Set(roundTrips.joined().flatMap(\.boundValues)) {
        literals[value] = try await superuser.first(.describing(value), String.self, String?.self)
      }
      return literals
    }
  }
}

extension BoundValue {
  /// The value as an integer; for a time, in microseconds. Nil for null and for longer values.
  fileprivate var integer: Int64? {
    guard let bytes, bytes.count <= 8 else { return nil }
    let isNegative = (bytes.first ?? 0) & 0x80 != 0
    return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}
