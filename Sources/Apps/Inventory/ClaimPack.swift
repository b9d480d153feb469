internal import Domain
package import FoundationEssentials
internal import Jobs
package import Postgres

/// The documents of a claim for the vendor: the claim, the item with its proof of purchase, and the timeline.
package enum ClaimPack {
  /// Returns the documents as one JSON object; nil if the claim does not exist or is deleted.
  ///
  /// The transaction must be inside the company.
  package static func gather(company: UUID, claim: UUID, _ tx: Transaction) throws -> JSON? {
    try tx.rows(
      """
      select jsonb_build_object(
        'item_name', v.item_name,
        'issue', v.issue,
        'claim', to_jsonb(v) - 'company_id',
        'item', (
          select to_jsonb(i) - 'company_id' from inventory.v_item i
          where i.company_id = v.company_id and i.id = v.item_id
        ),
        'proof', (
          select jsonb_build_object('receipt_id', i.receipt_id, 'receipt_text', i.receipt_text,
                                    'media_type', a.media_type, 'size_bytes', a.size_bytes)
          from inventory.item i
          left join core.attachment a on a.company_id = i.company_id and a.id = i.receipt_id
          where i.company_id = v.company_id and i.id = v.item_id
        ),
        'timeline', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'at', h.occurred_at, 'what', coalesce(h.transition, h.kind), 'from', h.from_status, 'to', h.to_status,
            'who', coalesce(core.name_at(coalesce(h.on_behalf_of, h.actor_id), h.occurred_at), h.actor_name), 'comment', h.comment) order by h.seq), '[]')
          from core.history h
          where h.company_id = v.company_id and h.record_type = 'inventory.claim' and h.record_id = v.id
        )
      )
      from inventory.v_claim v
      where v.company_id = \(company) and v.id = \(claim)
      """,
      JSON.self
    ).first
  }

  /// Sends the claim's creator a notice with the documents as its data.
  ///
  /// Sends nothing if the claim is deleted or its creator is no longer an active member. The transaction must
  /// be inside the company.
  ///
  /// - Parameter key: identifies the submission; a repetition with the same key sends nothing.
  package static func deliver(company: UUID, claim: UUID, key: String, _ tx: Transaction) throws {
    guard let pack = try gather(company: company, claim: claim, tx) else { return }
    let created = try tx.rows(
      """
      insert into core.notification
        (company_id, id, user_id, template, record_type, record_id, data, dedupe_key, state)
      select m.company_id, gen_random_uuid(), m.user_id, 'inventory.claim_pack', 'inventory.claim', l.id, \(pack), \(key), 'sent'
      from inventory.claim l
      join core.membership m on m.company_id = l.company_id and m.user_id = l.created_by and m.status = 'active'
      where l.company_id = \(company) and l.id = \(claim)
      on conflict do nothing
      returning id
      """,
      UUID.self
    )
    try NoticeMails.enqueue(created, company: company, traceID: nil, tx)
  }
}
