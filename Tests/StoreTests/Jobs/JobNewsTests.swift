import Domain
import FoundationEssentials
import Postgres
import Testing

@testable import Store

@Suite struct JobNewsTests {
  private let company = UUID()

  private func job(_ kind: String, runAt: Timestamp? = nil) -> NewJob {
    NewJob(id: UUID(), kind: kind, runAt: runAt, payload: JSON(text: "{}"))
  }

  @Test func `a payload is decoded as it was encoded`() throws {
    let news = try #require(JobNews([job("a"), job("b"), job("a")], company: company))
    #expect(news.lanes?.count == 2)
    #expect(JobNews(payload: news.payload) == news)
  }

  @Test func `a lane is told by its id alone`() throws {
    let news = try #require(JobNews([job("secret.kind")], company: company))
    #expect(!news.payload.contains("secret"))
    #expect(!news.payload.contains(company.uuidString.lowercased()))
  }

  @Test func `there is nothing to tell of jobs whose time is to come`() {
    #expect(JobNews([job("a", runAt: Timestamp(microseconds: 0))], company: company) == nil)
    #expect(JobNews([], company: company) == nil)
  }

  @Test func `too many lanes are told as unknown, at once or by and by`() throws {
    let many = try #require(JobNews((0...JobNews.most).map { job("kind\($0)") }, company: company))
    #expect(many == .unknown)
    var sum = try #require(JobNews((0..<JobNews.most).map { job("kind\($0)") }, company: company))
    #expect(sum.lanes?.count == JobNews.most)
    sum.add(try #require(JobNews([job("one more")], company: company)))
    #expect(sum == .unknown)
  }

  @Test func `adding unknown news makes the sum unknown`() throws {
    var news = try #require(JobNews([job("a")], company: company))
    news.add(.unknown)
    #expect(news == .unknown)
  }

  @Test(arguments: ["", "marker", "stop it", "0190aaaa", "\(UUID()) and more"])
  func `an invalid payload is unknown`(payload: String) {
    #expect(JobNews(payload: payload) == .unknown)
  }
}
