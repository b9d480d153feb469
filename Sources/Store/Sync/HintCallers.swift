package import FoundationEssentials
package import Postgres

/// The statement that finds clients whose credential has ended.
package enum HintCallers {
  /// Selects the places, from 1, of the members who may no longer act in the transaction's company or whose session
  /// has ended.
  ///
  /// The generation of a session does not count: a client that renews its secrets goes on.
  ///
  /// - Parameter sessions: the session of each member; nil for one without.
  package static func ended(company: UUID, users: [UUID], sessions: [UUID?]) -> SQL {
    """
    select x.place
    from unnest(\(users), \(sessions)) with ordinality x (user_id, session_id, place)
    where not exists (
        select from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(company) and m.user_id = x.user_id and m.status = 'active' and u.status = 'active'
      )
      or x.session_id is not null and not exists (
        select from core.session s
        where s.company_id = \(company) and s.id = x.session_id
          and s.revoked_at is null and s.idle_until > now() and s.expires_at > now()
      )
    """
  }
}
