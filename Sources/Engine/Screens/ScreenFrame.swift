package import Domain
package import FoundationEssentials
internal import Postgres
package import Store

/// What every page of the console shows around its content.
package struct ScreenFrame: Sendable {
  package let company: CompanyRow
  /// The person's name; nil for an operator in their own name.
  package let person: String?
  /// The person's role.
  package let role: String?
  package let language: Language
  /// The unread notices, at most 100.
  package let unread: Int
  /// The types whose records the person may list, under the workflows of the company, by name.
  package let types: [RecordType]
  /// Today in the company's time zone.
  package let today: LocalDate
  /// The time of the transaction.
  package let now: Instant
  /// True if the company accepts changes.
  package let isOpen: Bool
  /// The person's rights.
  let rights: Rights
  /// Identifies the timeline of the data; a restore from a backup changes it.
  package let epoch: UUID
  /// The values that check constraints permit, by table and column.
  let choices: [String: [String: [String]]]
}

extension ScreenFrame {
  /// True if the person holds a permission, so that a page may offer what it permits.
  package func may(_ permission: String) -> Bool { rights.holds(permission) }

  /// Returns the values that check constraints permit in the columns of a type, by column.
  package func choices(of type: RecordType) -> [String: [String]] { choices[type.definition.table] ?? [:] }
}

/// A row about the person and the company.
struct FrameRow: RowDecodable, Sendable {
  let language: String?
  let unread: Int64
  /// The company as it is now; the one of a session may have an older name.
  let company: CompanyRow

  init(row: inout RowReader) throws(PostgresError) {
    language = try row.next()
    unread = try row.next()
    company = try CompanyRow(row: &row)
  }

  /// Returns the statement that reads the row.
  static func query(_ acting: ActingContext) -> SQL {
    """
    select coalesce(p.language, c.language), (
      select count(*) from (
        select from core.notification n
        where n.company_id = c.id and n.user_id = \(nullable: acting.user) and n.state = 'sent'
        limit 100
      ) x
    ), \(CompanyStore.columns)
    from core.company c
    left join core.mail_profile p on p.user_id = \(nullable: acting.user)
    where c.id = \(acting.company.id)
    """
  }
}
