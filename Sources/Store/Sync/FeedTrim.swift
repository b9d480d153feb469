package import FoundationEssentials
package import Postgres

/// The statements that remove old deletions from the feed.
package enum FeedTrim {
  /// The age in days from which a deletion may be removed. A device whose last pull is older does not prevent that.
  package static let days: Int32 = 180

  /// Deletes old deletions that every device has, up to a number, and raises the floors of their scopes. Selects the
  /// number of deleted rows.
  ///
  /// The caller holds the gate: a writer that holds it must not wait for the rows. The row with the highest position
  /// stays, because the next position follows from it.
  package static func trim(company: UUID, most: Int) -> SQL {
    """
    with gone as (
      delete from core.feed f
      where f.company_id = \(company) and f.seq in (
        select o.seq from core.feed o
        where o.company_id = \(company) and o.op in ('delete', 'leave')
          and o.changed_at < now() - make_interval(days => \(days))
          and o.seq < (select max(m.seq) from core.feed m where m.company_id = \(company))
          and o.seq <= coalesce(
            (select min(d.cursor_seq) from core.device d
             where d.company_id = \(company) and d.revoked_at is null
               and d.last_pull_at > now() - make_interval(days => \(days))),
            9223372036854775807)
        order by o.seq
        limit \(Int64(most))
      )
      returning f.scope, f.seq
    ), raised as (
      insert into core.sync_floor as s (company_id, scope, seq)
      select \(company), g.scope, max(g.seq) from gone g group by g.scope
      on conflict (company_id, scope) do update set seq = greatest(s.seq, excluded.seq)
    )
    select count(*) from gone
    """
  }
}
