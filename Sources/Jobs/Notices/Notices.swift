internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Delivers notices about one record to the inboxes of active members who may read it and have not opted out, and
/// enqueues mails for those who chose them.
struct Notices {
  /// The type of the record.
  let type: RecordType
  /// The company of the record.
  let company: UUID
  /// The id of the record.
  let record: UUID

  /// Returns the record as its view shows it; nil if it was deleted meanwhile.
  ///
  /// A private record is read as its owner; the rest of the transaction then runs as this user.
  func document(_ tx: Transaction) throws -> JSONObject? {
    if type.definition.scope == .owner {
      guard try RecordOwner.enter(company: company, type: type, id: record, tx) != nil else { return nil }
    }
    return try tx.first(type.view(company: company, id: record, guards: []), as: ViewedRow.self)?
      .document.value().object
  }

  /// Returns the type's label and the record's key or title, cut to 60 characters; the record's id if it has
  /// neither.
  func title(_ document: JSONObject) -> String {
    let named = (type.definition.nameColumns + [type.definition.titleField])
      .lazy.compactMap { document[$0] }.first { !$0.isBlank }
    let text = named?.displayText ?? record.uuidString.lowercased()
    return "\(type.definition.label) \(text.count > 60 ? "\(text.prefix(60))…" : text)"
  }

  /// Returns the watchers of the record, including its creator but without the given users.
  ///
  /// - Parameter includesCreator: false for changes made by the system, which are not reported to the
  ///   creator.
  func watchers(
    _ document: JSONObject,
    includesCreator: Bool = true,
    without users: [UUID?],
    _ tx: Transaction
  ) throws -> [UUID] {
    let creator = document["created_by"]?.string.flatMap(UUID.init(text:))
    return try tx.rows(
      CommentStore.watchers(
        company: company,
        type: type.name,
        record: record,
        creator: includesCreator ? creator : nil
      ),
      UUID.self,
      String.self
    ).map(\.0).filter { !users.contains($0) }
  }

  /// Delivers a notice. The key makes repeated runs of a job deliver it once per user.
  ///
  /// - Parameters:
  ///   - template: the template of the notice, which is also the topic of the members' preferences.
  ///   - users: the possible recipients. Members who are not active, have opted out or may not read the
  ///     record are left out.
  ///   - document: the record, for its permissions.
  ///   - data: the values for the template.
  ///   - key: identifies the notice among those of a user.
  /// - Returns: the users who have the notice now, including those who got it in an earlier run.
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
    var created: [UUID] = []
    for user in readers {
      let id = try tx.first(
        """
        insert into core.notification
          (company_id, id, user_id, template, record_type, record_id, data, dedupe_key, state)
        values (\(company), \(UUIDv7Generator.shared.next()), \(user), \(template), \(type.name), \(record),
                \(JSON(data)), \("\(key):\(user.uuidString.lowercased())"), 'sent')
        on conflict do nothing
        returning id
        """,
        UUID.self
      )
      if let id { created.append(id) }
    }
    try NoticeMails.enqueue(created, company: company, traceID: nil, tx)
    return readers
  }

  /// Selects the active members among `users` who have not opted out of the template.
  static func willing(_ users: [UUID], template: String, company: UUID) -> SQL {
    """
    select m.user_id
    from core.membership m
    left join core.notification_preference p
      on p.company_id = m.company_id and p.user_id = m.user_id and p.topic = \(template)
    left join core.notification_preference a
      on a.company_id = m.company_id and a.user_id = m.user_id and a.topic = '*'
    where m.company_id = \(company) and m.status = 'active' and m.user_id = any (\(users))
      and coalesce(p.delivery, a.delivery, 'inbox') <> 'off'
    order by m.user_id
    """
  }
}
