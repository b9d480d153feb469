import Domain
import FoundationEssentials
import Postgres
import Testing

@testable import Store

@Suite struct JobNotificationTests {
  private let company = UUID()

  private func job(_ kind: String, runAt: Instant? = nil) -> NewJob {
    NewJob(id: UUID(), kind: kind, runAt: runAt, payload: JSON(text: "{}"))
  }

  @Test func `what is told comes back as it was`() throws {
    let notification = try #require(JobNotification([job("a"), job("b"), job("a")], company: company))
    #expect(notification.lanes?.count == 2)
    #expect(JobNotification(payload: notification.payload) == notification)
  }

  @Test func `a lane is told by its id alone`() throws {
    let notification = try #require(JobNotification([job("secret.kind")], company: company))
    #expect(!notification.payload.contains("secret"))
    #expect(!notification.payload.contains(company.uuidString.lowercased()))
  }

  @Test func `there is nothing to tell of jobs whose time is to come`() {
    #expect(JobNotification([job("a", runAt: Instant(microseconds: 0))], company: company) == nil)
    #expect(JobNotification([], company: company) == nil)
  }

  @Test func `too many lanes are told as unknown, at once or by and by`() throws {
    let many = try #require(
      JobNotification((0...JobNotification.most).map { job("kind\($0)") }, company: company)
    )
    #expect(many == .unknown)
    var sum = try #require(
      JobNotification((0..<JobNotification.most).map { job("kind\($0)") }, company: company)
    )
    #expect(sum.lanes?.count == JobNotification.most)
    sum.add(try #require(JobNotification([job("one more")], company: company)))
    #expect(sum == .unknown)
  }

  @Test func `whoever does not know makes the whole unknown`() throws {
    var notification = try #require(JobNotification([job("a")], company: company))
    notification.add(.unknown)
    #expect(notification == .unknown)
  }

  @Test(arguments: ["", "marker", "stop it", "0190aaaa", "\(UUID()) and more"])
  func `what is not understood is unknown`(payload: String) {
    #expect(JobNotification(payload: payload) == .unknown)
  }
}
