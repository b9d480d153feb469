internal import Domain
package import FoundationEssentials
internal import Jobs
package import Postgres

/// Sends one notice before a warranty expires: 30 days before its last day, or at once if fewer days are
/// left.
///
/// The item and the last day identify a notice. A scan cancels the unread notices of deleted items and of
/// last days that have changed. If an item gets its former last day back, its cancelled notice is sent again.
package enum WarrantyScan {
  /// Cancels outdated notices and creates missing ones.
  ///
  /// The transaction must be inside the company.
  ///
  /// - Parameter item: the only item to scan; nil for all items of the company.
  package static func run(company: UUID, item: UUID?, _ tx: Transaction) throws {
    try tx.execute(cancel(company: company, item: item))
    let created = try tx.rows(notify(company: company, item: item), UUID.self)
    try NoticeMails.enqueue(created, company: company, traceID: nil, tx)
  }

  private static func cancel(company: UUID, item: UUID?) -> SQL {
    """
    update core.notification n set state = 'cancelled'
    where n.company_id = \(company)
      and n.record_type = 'inventory.item'
      and n.template = 'inventory.warranty_expiring'
      and n.state in ('queued', 'sent')
      and (\(nullable: item)::uuid is null or n.record_id = \(nullable: item))
      and not exists (
        select from inventory.item i
        where i.company_id = n.company_id and i.id = n.record_id and i.deleted_at is null
          and n.dedupe_key = format('warranty:%s:%s:30', i.id, i.warranty_expires_on)
      )
    """
  }

  /// Returns the statement that creates missing notices.
  ///
  /// The recipient is the item's creator. If the creator has left or opted out, it is an owner or admin who
  /// has not opted out.
  private static func notify(company: UUID, item: UUID?) -> SQL {
    """
    insert into core.notification
      (company_id, id, user_id, template, record_type, record_id, data, dedupe_key, state)
    select v.company_id, gen_random_uuid(), who.user_id, 'inventory.warranty_expiring', 'inventory.item', v.id, to_jsonb(v),
      format('warranty:%s:%s:30', v.id, v.warranty_expires_on), 'sent'
    from inventory.v_item v
    cross join lateral (
      select m.user_id from core.membership m
      left join core.notification_preference p
        on p.company_id = m.company_id and p.user_id = m.user_id and p.topic = 'inventory.warranty_expiring'
      left join core.notification_preference a
        on a.company_id = m.company_id and a.user_id = m.user_id and a.topic = '*'
      where m.company_id = v.company_id and m.status = 'active'
        and (m.user_id = v.created_by or m.role in ('owner', 'admin'))
        and coalesce(p.delivery, a.delivery, 'inbox') <> 'off'
      order by m.user_id = v.created_by desc nulls last, m.role = 'owner' desc, m.created_at, m.user_id
      limit 1
    ) who
    where v.company_id = \(company)
      and v.warranty_status = 'expiring'
      and (\(nullable: item)::uuid is null or v.id = \(nullable: item))
    on conflict (company_id, dedupe_key) where dedupe_key is not null do update
    set state = 'sent'
    where core.notification.state = 'cancelled'
    returning id
    """
  }
}
