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

  /// Every record of the name, since a key may be unique within another record only.
  ///
  /// - Throws: `not_found` with the closest key as a hint; `invalid_input` when the beginning of an id fits several.
  func findAll(_ text: String, _ tx: Transaction) throws -> [UUID] {
    if let key = type.definition.key.last {
      let found = try tx.rows(
        """
        select t.id from \(type.table) t
        where t.company_id = \(company) and \(state)
          and lower(btrim(t.\(identifier: key)::text)) = lower(btrim(\(text)))
        limit 10000
        """,
        UUID.self
      )
      if !found.isEmpty { return found }
    }
    return [try find(text, tx)]
  }

  /// - Throws: `not_found` with the closest key as a hint; `invalid_input` when several fit.
  func find(_ text: String, _ tx: Transaction) throws -> UUID {
    let label = type.definition.label.lowercased()
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
      if found.count == 1 { return found[0] }
      if found.count > 1 {
        throw DomainError(.invalidInput, "\(Quoted(text)) fits more than one \(label)", hint: "use its id")
      }
    }
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
    guard let key = type.definition.key.last else { return nil }
    let names = try tx.rows(
      """
      select t.\(identifier: key)::text from \(type.table) t
      where t.company_id = \(company) and \(state) and t.\(identifier: key) is not null
      order by t.created_at desc
      limit 5000
      """,
      String.self
    )
    if let closest = Suggestion.closest(to: text, among: names) { return "did you mean \(closest)?" }
    guard !names.isEmpty, names.count <= 12 else { return nil }
    return "there are: \(names.sorted().joined(separator: ", "))"
  }
}
