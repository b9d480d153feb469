internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Finds a record by its number, its key, its id or the beginning of its id.
struct RecordName {
  let type: RecordType
  /// The company, as a bound value or an SQL expression.
  let company: SQL
  /// True to search deleted records instead of live ones.
  let isDeleted: Bool

  init(type: RecordType, company: SQL, isDeleted: Bool = false) {
    self.type = type
    self.company = company
    self.isDeleted = isDeleted
  }

  /// Returns the form in which PostgreSQL compares names: without blanks around them, in lower case, and with letters
  /// with accents as one character each.
  static func folded(_ text: SQL) -> SQL { "lower(normalize(btrim(\(text))))" }

  /// The refusal of a name that several records have as their key.
  static func ambiguous(_ text: String, _ label: String, _ ids: [UUID]) -> DomainError {
    DomainError(
      .invalidInput,
      "\(Quoted(text)) fits more than one \(label)",
      hint: "use the id of one: \(ids.prefix(2).map(\.text).joined(separator: ", "))"
    )
  }

  /// The lookups of one name, queued in a pipeline.
  struct Tickets {
    fileprivate let byNumber: Ticket<UUID>?
    fileprivate let byKey: Ticket<UUID>?
    fileprivate let byID: Ticket<UUID>?
    fileprivate let keyColumn: String?

    /// Returns the results; call it after the pipeline has run.
    func found() throws -> Found {
      Found(
        byNumber: try byNumber?.first,
        byKey: try byKey?.all ?? [],
        byID: try byID?.all ?? [],
        keyColumn: keyColumn ?? "key"
      )
    }
  }

  /// The records that match a name. Lists end at two matches, which are enough to detect ambiguity.
  struct Found: Sendable {
    fileprivate let byNumber: UUID?
    fileprivate let byKey: [UUID]
    fileprivate let byID: [UUID]
    fileprivate let keyColumn: String

    /// True if at least one record matches.
    var hasAny: Bool { byNumber != nil || !byKey.isEmpty || !byID.isEmpty }

    /// Returns the only match; nil if there is none. A complete id is returned unchecked.
    ///
    /// - Throws: `invalid_input` if several records match, such as one by its number and another by its key.
    func id(of text: String, _ label: String) throws -> UUID? {
      if let id = UUID(text: text) { return id }
      if let byNumber, let other = byKey.first(where: { $0 != byNumber }) {
        throw DomainError(
          .invalidInput,
          "\(Quoted(text)) is the number of one \(label) and the \(keyColumn) of another",
          hint: "use the id: \(byNumber.text) has the number, \(other.text) the \(keyColumn)"
        )
      }
      if let byNumber { return byNumber }
      if byKey.count > 1 { throw RecordName.ambiguous(text, label, byKey) }
      if let id = byKey.first { return id }
      guard byID.count <= 1 else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(text)) fits more than one \(label)",
          hint: "write more characters of the id"
        )
      }
      return byID.first
    }
  }

  /// Queues the lookups that have an index. A complete id needs none.
  func queue(_ text: String, _ pipeline: inout Pipeline) -> Tickets {
    guard UUID(text: text) == nil else {
      return Tickets(byNumber: nil, byKey: nil, byID: nil, keyColumn: nil)
    }
    return Tickets(
      byNumber: byNumber(text).map { pipeline.rows($0, UUID.self) },
      byKey: byKey(text).map { pipeline.rows($0, UUID.self) },
      byID: byBeginning(text).map { pipeline.rows($0, UUID.self) },
      keyColumn: type.definition.key.last
    )
  }

  /// Looks a name up in one round trip, and a key in another case in a second one; a complete id needs none.
  func lookUp(_ text: String, _ tx: Transaction) throws -> Found {
    guard UUID(text: text) == nil else {
      return Found(byNumber: nil, byKey: [], byID: [], keyColumn: "key")
    }
    let found = try tx.pipeline { pipeline in queue(text, &pipeline) }.found()
    guard !found.hasAny, let statement = byFoldedKey(text) else { return found }
    return Found(
      byNumber: nil,
      byKey: try tx.rows(statement, UUID.self),
      byID: [],
      keyColumn: type.definition.key.last ?? "key"
    )
  }

  /// Returns the id of the record with a name.
  ///
  /// - Throws: `not_found` with the closest name as a hint, `invalid_input` if several records match.
  func find(_ text: String, _ tx: Transaction) throws -> UUID {
    let label = type.definition.label.lowercased()
    if let id = try lookUp(text, tx).id(of: text, label) { return id }
    throw DomainError(
      .notFound,
      "there is no \(label) \(Quoted(text))",
      hint: try hint(for: text, tx) ?? "list them with `fettle record list \(type.name)`"
    )
  }

  /// Requires that a name, which no record has, is not that of a deleted one.
  ///
  /// - Throws: `not_found`, which says so.
  func requireNotDeleted(_ text: String, _ tx: Transaction) throws {
    let label = type.definition.label.lowercased()
    let tombstones = RecordName(type: type, company: company, isDeleted: true)
    guard try tombstones.lookUp(text, tx).hasAny else { return }
    throw DomainError(
      .notFound,
      "the \(label) \(Quoted(text)) was deleted",
      hint: "bring it back with `fettle record restore \(type.name) \(text)`"
    )
  }

  /// Returns the ids of all records with a name, up to 10,000, since a key may be unique only within a
  /// parent.
  ///
  /// - Throws: `not_found` with the closest name as a hint, `invalid_input` if several records match in
  ///   another way than by key.
  func findAll(_ text: String, _ tx: Transaction) throws -> [UUID] {
    if let statement = byFoldedKey(text, limit: 10_000) {
      let found = try tx.rows(statement, UUID.self)
      if found.count > 1 { return found }
    }
    return [try find(text, tx)]
  }

  /// The lookups that have an index.
  func indexed(_ text: String) -> [SQL] {
    [byNumber(text), byKey(text), byBeginning(text)].compactMap(\.self)
  }

  private var state: SQL { isDeleted ? "t.deleted_at is not null" : "t.deleted_at is null" }

  /// The company, unknown to the planner. If statistics say that this company has few rows, the planner takes any index
  /// that begins with the company, and reads all of its rows.
  private var hidden: SQL { "(select \(company))" }

  /// Returns the lookup by number; nil for a type without numbers or a text that is not a number.
  private func byNumber(_ text: String) -> SQL? {
    let name = text.trimmingSpaces().uppercased()
    guard type.definition.number != nil, let counter = NumberFormat.counter(in: name) else { return nil }
    return """
      select t.id from \(type.table) t
      where t.company_id = \(hidden) and \(state) and t.number_seq = \(counter) and t.number = \(name)
      """
  }

  /// Returns the lookup by a key of text, as it is written, in lower case and in upper case; nil for other types.
  ///
  /// Only comparisons that cannot leak a row use an index under row-level security, and `lower` is none of these.
  private func byKey(_ text: String) -> SQL? {
    guard let key = type.definition.key.last, type.column(key)?.kind == .text else { return nil }
    let name = text.trimmingSpaces()
    return """
      select t.id from \(type.table) t
      where t.company_id = \(hidden) and \(state)
        and t.\(identifier: key) = any (\([name, name.lowercased(), name.uppercased()]))
      limit 2
      """
  }

  /// Returns the lookup by a key in any case, which reads all records of the company; nil for a type without a key.
  private func byFoldedKey(_ text: String, limit: Int32 = 2) -> SQL? {
    type.definition.key.last.map { key in
      """
      select t.id from \(type.table) t
      where t.company_id = \(company) and \(state)
        and \(Self.folded("t.\(identifier: key)::text")) = \(Self.folded("\(text)"))
      limit \(limit)
      """
    }
  }

  /// Returns the lookup by the beginning of an id; nil for fewer than six hexadecimal digits, so that a word
  /// is not mistaken for an id.
  private func byBeginning(_ text: String) -> SQL? {
    let digits = text.lowercased().filter { $0 != "-" }
    guard digits.count >= 6, digits.count <= 32, digits.allSatisfy(\.isHexDigit) else { return nil }
    let low = digits + String(repeating: "0", count: 32 - digits.count)
    let high = digits + String(repeating: "f", count: 32 - digits.count)
    return """
      select t.id from \(type.table) t
      where t.company_id = \(hidden) and \(state) and t.id between \(low)::uuid and \(high)::uuid
      limit 2
      """
  }

  private func hint(for text: String, _ tx: Transaction) throws -> String? {
    var columns = type.definition.key.suffix(1).map { "t.\(identifier: $0)::text" as SQL }
    if type.definition.number != nil { columns.insert("t.number", at: 0) }
    guard !columns.isEmpty else { return nil }
    let names = try tx.rows(
      """
      select n.name
      from (
        select t.created_at, array[\(SQL.joined(columns, separator: ", "))] as names from \(type.table) t
        where t.company_id = \(company) and \(state)
        order by t.created_at desc
        limit 5000
      ) x
      cross join lateral unnest(x.names) with ordinality n (name, place)
      where n.name is not null
      order by x.created_at desc, n.place
      """,
      String.self
    )
    // The neighbour of a number is another record, not what was meant.
    let isNumber = type.definition.number != nil && NumberFormat.counter(in: text.uppercased()) != nil
    if !isNumber, let closest = Suggestion.closest(to: text, among: names) {
      return "did you mean \(closest)?"
    }
    guard !names.isEmpty, names.count <= 12 else { return nil }
    return "use one of: \(names.sorted().joined(separator: ", "))"
  }
}
