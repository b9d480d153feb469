internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Finds a record by what people call it.
struct RecordName {
  let type: RecordType
  let company: UUID
  /// Among the tombstones instead of what lives.
  var isDeleted = false

  private var state: SQL { isDeleted ? "t.deleted_at is not null" : "t.deleted_at is null" }

  /// Finds it by its number, its key, its id or the beginning of its id.
  ///
  /// - Throws: `not_found` with the closest name as a hint; `invalid_input` when several fit, such as a number that is
  ///   the key of another record.
  func find(_ text: String, _ tx: Transaction) throws -> UUID {
    let label = type.definition.label.lowercased()
    let numbered = try numbered(text, tx)
    if let key = type.definition.key.last {
      let found = try tx.rows(
        """
        select t.id from \(type.table) t
        where t.company_id = \(company) and \(state)
          and lower(btrim(t.\(identifier: key)::text)) = lower(btrim(\(text)))
        limit 2
        """,
        UUID.self
      )
      if let numbered, let other = found.first(where: { $0 != numbered }) {
        throw DomainError(
          .invalidInput,
          "\(Quoted(text)) is the number of one \(label) and the \(key) of another",
          hint: "use the id: \(numbered.text) has the number, \(other.text) the \(key)"
        )
      }
      if numbered == nil, found.count == 1 { return found[0] }
      if found.count > 1 {
        throw DomainError(.invalidInput, "\(Quoted(text)) fits more than one \(label)", hint: "use its id")
      }
    }
    if let numbered { return numbered }
    if let ids = try beginning(text, tx) {
      if ids.count == 1 { return ids[0] }
      if ids.count > 1 {
        throw DomainError(
          .invalidInput,
          "\(Quoted(text)) fits more than one \(label)",
          hint: "write more of the id"
        )
      }
    }
    throw DomainError(.notFound, "there is no \(label) \(Quoted(text))", hint: try hint(for: text, tx))
  }

  /// The record with a number; nil for a type without numbers.
  private func numbered(_ text: String, _ tx: Transaction) throws -> UUID? {
    let name = text.trimmingSpaces().uppercased()
    guard type.definition.number != nil, let counter = NumberFormat.counter(in: name) else { return nil }
    return try tx.first(
      """
      select t.id from \(type.table) t
      where t.company_id = \(company) and \(state) and t.number_seq = \(counter) and t.number = \(name)
      """,
      UUID.self
    )
  }

  /// The ids that begin so; at least six digits, so that a word is not taken for an id.
  private func beginning(_ text: String, _ tx: Transaction) throws -> [UUID]? {
    let digits = text.lowercased().filter { $0 != "-" }
    guard digits.count >= 6, digits.count <= 32, digits.allSatisfy(\.isHexDigit) else { return nil }
    let low = digits + String(repeating: "0", count: 32 - digits.count)
    let high = digits + String(repeating: "f", count: 32 - digits.count)
    return try tx.rows(
      """
      select t.id from \(type.table) t
      where t.company_id = \(company) and \(state) and t.id between \(low)::uuid and \(high)::uuid
      limit 2
      """,
      UUID.self
    )
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
    if let closest = Suggestion.closest(to: text, among: names) { return "did you mean \(closest)?" }
    guard !names.isEmpty, names.count <= 12 else { return nil }
    return "there are: \(names.sorted().joined(separator: ", "))"
  }
}
