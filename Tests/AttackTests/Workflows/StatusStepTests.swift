import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Statuses made of the separators in which the guard of records keeps the allowed status changes.
@Suite struct StatusStepTests {
  /// A status and a category.
  private typealias Forgery = (status: String, category: String)

  /// Returns every status and category that can be cut out of the guard's text behind a prefix, except those
  /// that the workflow has.
  private static func forgeries(in steps: String, behind prefix: String, known: Set<String>) -> [Forgery] {
    var found: [Forgery] = []
    for start in steps.ranges(of: prefix).map(\.upperBound) {
      for end in steps[start...].indices where steps[end] == "|" {
        let cut = steps[start..<end]
        guard let colon = cut.lastIndex(of: ":") else { continue }
        let status = String(cut[..<colon])
        guard !known.contains(status) else { continue }
        found.append((status, String(cut[cut.index(after: colon)...])))
      }
    }
    return found
  }

  /// Returns the SQLSTATE with which a statement of the server's login fails; nil if it succeeds.
  private static func attempt(_ shop: Workshop, _ statement: SQL) async throws -> String? {
    let app = shop.engine.services.database
    return try await app.transaction(.inside(shop.company.id, mode: .engine)) { tx in
      do {
        let touched = try tx.savepoint { inner in try inner.execute(statement) }
        #expect(touched == 1)
        try tx.rollback()
        return nil
      } catch let error as PostgresError where error.kind == .server {
        return error.sqlState?.rawValue
      }
    }
  }

  private static func steps(_ shop: Workshop) async throws -> (text: String, known: Set<String>) {
    let text = try await shop.engine.superuser.value(
      """
      select split_part(encode(t.tgargs, 'escape'), '\\000', 3)
      from pg_trigger t
      where t.tgrelid = 'maintenance.entry'::regclass and t.tgname = 'guard'
      """,
      as: String.self
    )
    let known = try await shop.engine.superuser.rows(
      "select s.status from core.workflow_state s where s.record_type = 'maintenance.entry'",
      String.self
    )
    return (text, Set(known))
  }

  @Test func `a status that is cut out of the guard's text is refused in an update`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    let (text, known) = try await Self.steps(shop)
    let forgeries = Self.forgeries(in: text, behind: "|in_progress>", known: known)
    #expect(forgeries.count > 5)
    for forgery in forgeries {
      let state = try await Self.attempt(
        shop,
        """
        update maintenance.entry t set status = \(forgery.status), status_category = \(forgery.category)
        where t.company_id = \(shop.company.id) and t.id = \(entry)
        """
      )
      #expect(state == "FT002", "\(forgery)")
    }
  }

  @Test func `a status that is cut out of the guard's text is refused in an insert`() async throws {
    let shop = try await Workshop.open()
    let (text, known) = try await Self.steps(shop)
    let forgeries = Self.forgeries(in: text, behind: "|>", known: known)
    #expect(forgeries.count > 3)
    for forgery in forgeries {
      let state = try await Self.attempt(
        shop,
        """
        insert into maintenance.entry
          (company_id, id, machine_id, category_id, description, reported_on, status, status_category)
        values (\(shop.company.id), \(UUID()), \(shop.machine), \(shop.category), 'forged', '2026-01-01',
                \(forgery.status), \(forgery.category))
        """
      )
      #expect(state == "FT002", "\(forgery)")
    }
  }

  @Test func `a changed status needs no query of the workflow`() async throws {
    // The writer of the text and its reader use one function, so that each allowed change is found.
    let shop = try await Workshop.open()
    let missing = try await shop.engine.superuser.rows(
      """
      select t.name || ': ' || e.transition
      from core.record_type t
      join core.workflow_edge e on e.record_type = t.name
      join core.workflow_state s
        on s.record_type = e.record_type and s.version = e.version and s.status = e.to_status
      join pg_trigger g
        on g.tgrelid = format('%I.%I', t.table_schema, t.table_name)::regclass and g.tgname = 'guard'
      where strpos(
          encode(g.tgargs, 'escape'), core.status_step(e.from_status, e.to_status, s.category)) = 0
      """,
      String.self
    )
    #expect(missing == [])
  }
}
