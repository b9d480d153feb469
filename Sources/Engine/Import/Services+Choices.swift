internal import Domain
internal import Postgres
internal import Store

extension Services {
  /// Returns the only values of text columns of a type, by column.
  func choices(of type: RecordType, _ acting: ActingContext) async throws -> [String: [String]] {
    let all = try await database.transaction(
      .inside(acting.company.id, user: acting.user, readOnly: true)
    ) { tx in try tx.rows(ColumnChoices.query(of: type), as: ColumnChoices.self) }
    return Dictionary(all.map { ($0.column, $0.values) }) { first, _ in first }
  }
}
