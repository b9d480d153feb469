import Domain
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

/// The page of a person's notices.
@Suite(.timeLimit(.minutes(60))) struct ConsoleInboxTests {
  @Test func `notices are in the person's language with their times, page by page`() async throws {
    let console = try await ConsoleFixture.open()
    let user = try #require(console.shop.members["user"]).userID
    try await console.shop.engine.superuser.execute(
      """
      insert into core.notification (company_id, id, user_id, template, data, state, created_at)
      select \(console.shop.company.id), gen_random_uuid(), \(user), 'maintenance.entry_past_due',
        jsonb_build_object('machine_code', 'RM-' || n, 'due_on', '2026-05-17', 'description', 'Hose leaks'), 'sent',
        '2026-05-18T06:00:00Z'::timestamptz - n * interval '1 hour'
      from generate_series(0, 119) n
      """
    )
    var browser = try await console.browser("user")
    let page = try await browser.open(console.at("/inbox")).plain
    #expect(
      page.contains("RM-0 was due on 2026-05-17") && page.contains("18 May 2026 06:00"),
      "\(page.prefix(900))"
    )
    try await browser.open(console.at("/me"))
    try await browser.send("/me", ["language": "sv"])
    var (place, shown): (String?, String) = (console.at("/inbox"), "")
    while let next = place {
      let page = try await browser.open(next)
      shown += page.plain
      place = page.links.first { $0.contains("/inbox?after=") }
    }
    for number in [0, 60, 119] { #expect(shown.contains("RM-\(number) skulle vara klar 2026-05-17")) }
  }
}
