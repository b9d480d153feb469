import FoundationEssentials
import Testing

@testable import Store

@Suite struct JobRulesTests {
  private let acme = UUID()
  private let other = UUID()

  private func limitKeys(_ rules: JobRules, _ company: UUID, queue: String = "default", kind: String = "a.b")
    -> Set<JobRules.TokenKey>
  {
    Set(rules.limits(company: company, queue: queue, kind: kind).map(\.key))
  }

  @Test func `without rules nothing rests and nothing is limited`() {
    let rules = JobRules()
    #expect(!rules.isPaused(company: acme, queue: "default", kind: "a.b"))
    #expect(rules.limits(company: acme, queue: "default", kind: "a.b").isEmpty)
  }

  @Test(arguments: [
    (JobRules.Pause(), true), (JobRules.Pause(queue: "default"), true),
    (JobRules.Pause(queue: "push"), false),
    (JobRules.Pause(kind: "a.b"), true), (JobRules.Pause(kind: "a"), false),
    (JobRules.Pause(queue: "push", kind: "a.b"), false),
    (JobRules.Pause(queue: "default", kind: "a.b"), true),
  ])
  func `a pause holds for what it names, and for any where it names none`(pause: JobRules.Pause, rests: Bool)
  {
    #expect(JobRules(pauses: [pause]).isPaused(company: acme, queue: "default", kind: "a.b") == rests)
  }

  @Test func `a company's pause is not its neighbour's`() {
    let rules = JobRules(pauses: [.init(company: acme, kind: "a.b")])
    #expect(rules.isPaused(company: acme, queue: "default", kind: "a.b"))
    #expect(!rules.isPaused(company: other, queue: "default", kind: "a.b"))
    #expect(!rules.isPaused(company: acme, queue: "default", kind: "a.c"))
  }

  @Test func `a limit for all together is one share, a limit for each is one a company`() {
    let together = UUID()
    let each = UUID()
    let own = UUID()
    let rules = JobRules(limits: [
      .init(id: together, kind: "a.b", maxRunning: 4), .init(id: each, isForEach: true, maxRunning: 2),
      .init(id: own, company: acme, maxRunning: 1), .init(id: UUID(), kind: "a.c", maxRunning: 1),
    ])
    #expect(
      limitKeys(rules, acme) == [
        .init(limit: together, company: JobRules.everyCompany), .init(limit: each, company: acme),
        .init(limit: own, company: acme),
      ]
    )
    #expect(
      limitKeys(rules, other) == [
        .init(limit: together, company: JobRules.everyCompany), .init(limit: each, company: other),
      ]
    )
  }

  @Test func `the company that stands for all is the system company`() {
    #expect(JobRules.everyCompany.uuidString.lowercased() == "00000000-0000-7000-8000-000000000000")
  }
}
