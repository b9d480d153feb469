internal import FoundationEssentials
internal import Postgres
internal import Store

/// Converts traced statements to lines of a pgbench script, and collects the constants that they bind.
struct PgbenchScriptWriter {
  let entry: UUID
  let company: UUID
  let isOneCompany: Bool
  let literals: Literals
  /// Ids that are the same in every unit of work, such as that of a credential.
  let fixed: [UUID]
  /// True for statements that write nothing, whose numbers are all constant.
  let isRead: Bool
  var lines: [String] = []
  private(set) var constants: [String: String] = [:]

  private var names: [BoundValue: String] = [:]
  /// The variables of ids that differ in each unit of work, such as those of the request and the job.
  private var fresh: [BoundValue: String] = [:]
  /// The lanes of the inserted jobs, one per company and kind.
  private var lanes: Set<BoundValue> = []
  private var now: Int64?
  /// The version and history number of the record after the traced transition.
  private var version: Int64 = 1

  init(
    entry: UUID,
    company: UUID,
    isOneCompany: Bool,
    literals: Literals,
    fixed: [UUID] = [],
    isRead: Bool = false
  ) {
    self.fixed = fixed
    self.isRead = isRead
    self.entry = entry
    self.company = company
    self.isOneCompany = isOneCompany
    self.literals = literals
  }

  /// Begins a transition, whose ids and versions are computed from a counter.
  ///
  /// - Parameter number: the number of the transition in the trace, from 1.
  mutating func beginTransition(number: Int) {
    version = Int64(number) + 1
    now = nil
    fresh = [:]
    lines.append("\\set n :n + 1")
    lines.append("\\set seq :base + :n")
    for index in 0..<4 { lines.append("\\set u\(index) (:seq * 100 + :client_id) * 10 + \(index)") }
  }

  mutating func add(_ roundTrip: [SQL]) {
    lines.append("\\startpipeline")
    for statement in roundTrip { lines.append(rewritten(statement) + ";") }
    lines.append("\\endpipeline")
  }

  private mutating func rewritten(_ statement: SQL) -> String {
    let text = statement.text
    if !isOneCompany, text.hasPrefix("set local"), text.contains(company.uuidString.lowercased()) {
      return "select set_config('fettle.company_id', lpad(:c::text, 32, '0'), true)"
    }
    let values = statement.boundValues
    // The second value of a job is its lane.
    if text.hasPrefix("insert into core.job_queued") { lanes.insert(values[1]) }
    if now == nil { now = values.first { $0.type == PostgresType.timestamptz.oid }?.integer }
    let expressions = values.map { expression($0) }
    return statement.text { expressions[$0] }
  }

  private mutating func expression(_ value: BoundValue) -> String {
    switch (value.type, value.bytes) {
    case (PostgresType.uuid.oid, _?): return id(value)
    case (PostgresType.uuid.arrayOID, let bytes?) where bytes.suffix(16).elementsEqual(entry.bytes):
      return "array[\(Self.computed("e"))]"
    case (PostgresType.int8.oid, _?) where value.integer == version && !isRead: return ":seq::bigint"
    case (PostgresType.int8.arrayOID, let bytes?) where bytes.last == UInt8(version) && !isRead:
      return "array[:seq::bigint]"
    case (PostgresType.timestamptz.oid, _?): return time(value)
    default: return constant(value)
    }
  }

  private mutating func id(_ value: BoundValue) -> String {
    guard let bytes = value.bytes else { return "null::uuid" }
    if bytes.elementsEqual(entry.bytes) { return Self.computed("e") }
    if bytes.elementsEqual(company.bytes), !isOneCompany { return Self.computed("c") }
    if bytes.elementsEqual(company.bytes) || bytes.elementsEqual(Fixture.user.bytes)
      || fixed.contains(where: { bytes.elementsEqual($0.bytes) })
    {
      return constant(value)
    }
    // The first half of a lane is the second half of its company.
    if lanes.contains(value) {
      return isOneCompany ? constant(value) : "rpad(lpad(:c::text, 16, '0'), 32, '0')::uuid"
    }
    let name = fresh[value] ?? "u\(fresh.count)"
    fresh[value] = name
    return Self.computed(name)
  }

  private static func computed(_ number: String) -> String { "lpad(:\(number)::text, 32, '0')::uuid" }

  private func time(_ value: BoundValue) -> String {
    guard let time = value.integer, let now, time != now else { return "now()" }
    return "now() + interval '\((time - now) / 1_000_000) seconds'"
  }

  /// Returns the expression for a value that is the same in every unit of work.
  private mutating func constant(_ value: BoundValue) -> String {
    let literal = literals[value]
    guard let text = literal.text else { return "null::\(literal.type)" }
    let name = names[value] ?? "k\(names.count)"
    names[value] = name
    constants[name] = text
    return ":\(name)::\(literal.type)"
  }
}

extension UUID {
  var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }
}

extension BoundValue {
  /// The value as an integer; for a time, in microseconds. Nil for null and for longer values.
  var integer: Int64? {
    guard let bytes, bytes.count <= 8 else { return nil }
    let isNegative = (bytes.first ?? 0) & 0x80 != 0
    return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}
