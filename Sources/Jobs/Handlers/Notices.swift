internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Puts notices about one record into inboxes: of those who may read it, who are members still, and who want them.
struct Notices {
  let type: RecordType
  let company: UUID
  let record: UUID

  /// The record as its view shows it; nil when it was deleted meanwhile and there is nothing left to tell about.
  ///
  /// A private record is read as its owner, whom the feed's scope names.
  func document(_ tx: Transaction) throws -> JSONObject? {
    if type.definition.scope == .owner {
      let scopes = try tx.rows(
        """
        select f.scope from core.feed f
        where f.company_id = \(company) and f.record_type = \(type.name) and f.record_id = \(record)
        """,
        String.self
      )
      let owner = scopes.lazy.compactMap { $0.split(separator: "/").last }.compactMap {
        UUID(uuidString: String($0))
      }
      guard let owner = owner.first else { return nil }
      _ = try tx.rows(
        "select set_config('fettle.user_id', \(owner.uuidString.lowercased()), true)",
        String.self
      )
    }
    return try tx.first(type.view(company: company, id: record, guards: []), as: ViewedRow.self)?
      .document.value().object
  }

  /// What people call the record.
  func title(_ document: JSONObject) -> String {
    let named = (type.definition.nameColumns + [type.definition.titleField])
      .lazy.compactMap { document[$0] }.first { !$0.isBlank }
    let text = named?.displayText ?? record.uuidString.lowercased()
    return "\(type.definition.label) \(text.count > 60 ? "\(text.prefix(60))…" : text)"
  }

  /// Delivers a notice; the key makes sure that each gets it once, however often the job runs.
  ///
  /// - Returns: who got it now.
  @discardableResult
  func deliver(
    _ template: String,
    to users: [UUID],
    about document: JSONObject,
    data: JSONObject,
    key: String,
    _ tx: Transaction
  ) throws -> [UUID] {
    let willing = try tx.rows(Self.willing(users, template: template, company: company), UUID.self)
    let readers = try Readers.of(document, type, among: willing, company: company, tx)
    for user in readers {
      try tx.execute(
        """
        insert into core.notification
          (company_id, id, user_id, template, record_type, record_id, data, dedupe_key, state)
        values (\(company), \(UUIDv7Generator.shared.next()), \(user), \(template), \(type.name), \(record),
                \(JSON(data)), \("\(key):\(user.uuidString.lowercased())"), 'sent')
        on conflict do nothing
        """
      )
    }
    return readers
  }

  /// The active members among `users` who have not said that they want none of this.
  private static func willing(_ users: [UUID], template: String, company: UUID) -> SQL {
    """
    select m.user_id
    from core.membership m
    left join core.notification_preference p
      on p.company_id = m.company_id and p.user_id = m.user_id and p.topic = \(template)
    left join core.notification_preference a
      on a.company_id = m.company_id and a.user_id = m.user_id and a.topic = '*'
    where m.company_id = \(company) and m.status = 'active' and m.user_id = any (\(users))
      and coalesce(p.delivery, a.delivery, 'inbox') = 'inbox'
    order by m.user_id
    """
  }
}
