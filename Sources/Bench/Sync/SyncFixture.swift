internal import FoundationEssentials
internal import Postgres

/// The standing entries of a company, as an import leaves them.
enum SyncFixture {
  /// Creates entries with numbers, history and feed.
  static func fill(_ member: SyncMember, entries: Int, _ superuser: Database) async throws {
    var options = TransactionOptions()
    options.settings = [.word("fettle.write", "import")]
    try await superuser.transaction(options) { tx in
      try tx.execute(
        """
        insert into maintenance.entry
          (company_id, id, created_by, updated_by, number, number_seq, machine_id, category_id, description,
           estimated_hours, reported_on, created_by_name, status, status_category, history_seq, history_hash)
        select \(member.company), gen_random_uuid(), \(member.user), \(member.user), 'WO-' || 1000 + i, 1000 + i,
          \(member.machine), \(member.category), 'Hydraulic hose leaks at the boom cylinder, replace and test ' || i,
          1.5, date '2025-01-01' + (i % 300)::int, 'Bench', 'pending', 'open', 1, sha256(i::text::bytea)
        from generate_series(1, \(Int64(entries))) i
        """
      )
      try tx.execute(
        """
        insert into core.history
          (company_id, record_type, record_id, seq, kind, definition_version, to_status, actor_kind, actor_id, actor_name,
           changes, salt, request_id, hash)
        select e.company_id, 'maintenance.entry', e.id, 1, 'import', 1, 'pending', 'member', e.created_by, 'Bench',
          jsonb_build_object('description', jsonb_build_array(null, e.description)), substr(e.history_hash, 1, 16), e.id,
          e.history_hash
        from maintenance.entry e where e.company_id = \(member.company)
        """
      )
      try tx.execute(
        """
        insert into core.feed (company_id, scope, record_type, record_id, seq, op, version)
        select e.company_id, 'maintenance.entry', 'maintenance.entry', e.id,
          (select max(f.seq) from core.feed f where f.company_id = \(member.company)) + row_number() over (order by e.number_seq),
          'put', 1
        from maintenance.entry e where e.company_id = \(member.company)
        """
      )
    }
  }
}
