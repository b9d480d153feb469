internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Members of the company of the pulled records with a session each, because a member may have few streams.
struct StreamMembers {
  /// The number of streams of a member.
  private static let each = 20

  /// The header fields of the sessions.
  struct Sessions: Sendable {
    fileprivate let fields: [String]
    /// The header field of the member who makes changes.
    let author: String

    /// The header field for a stream.
    subscript(stream: Int) -> String { fields[stream / each] }
  }

  let world: SyncWorld

  /// Creates as many members as the streams need.
  func open(streams: Int) async throws -> Sessions {
    let company = world.pulling.company
    let fields = try await world.server.withConnection { superuser in
      try await superuser.transaction { tx in
        try (0...streams / Self.each).map { number in
          let (user, id) = (UUID(), UUID())
          _ = try MemberStore.insertUser(
            id: user,
            email: "stream-\(number)@bench.example",
            name: "Stream \(number)",
            kind: "person",
            tx
          )
          _ = try MemberStore.insert(company: company, user: user, role: "user", invitedBy: nil, tx)
          let token = SessionToken.make(.bearer, company: company, id: id)
          try tx.execute(
            """
            insert into core.session (company_id, id, user_id, kind, secret_hash, refresh_salt, confirmed, access_until,
              idle_seconds, idle_until, expires_at)
            values (\(company), \(id), \(user), 'mobile', \(token.hash), \(SecureRandom.bytes(16)), 1,
              now() + interval '1 day', 86400, now() + interval '1 day', now() + interval '2 days')
            """
          )
          return "Authorization: Bearer \(token.text)"
        }
      }
    }
    return Sessions(fields: fields, author: world.pulling.authorization)
  }
}
