import FoundationEssentials
import Logging
import Synchronization
import Testing

@testable import Logbook

@Suite struct LogbookTests {
  /// A logbook whose lines are collected and whose clock is set by the test.
  private final class Desk: Sendable {
    let lines = Mutex<[String]>([])
    let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000.25))

    func book(_ format: LogFormat, most: Int = 10, mostKinds: Int = 1_000) -> Logbook {
      Logbook(
        format,
        limiter: RepeatLimiter(most: most, interval: 10, mostKinds: mostKinds),
        now: { self.now.withLock { $0 } },
        write: { line in self.lines.withLock { $0.append(line) } }
      )
    }

    func pass(_ seconds: TimeInterval) { now.withLock { $0 += seconds } }

    var text: [String] { lines.withLock { $0 } }
  }

  @Test func `a line of JSON has its time, level, logger, message and metadata`() throws {
    let desk = Desk()
    var logger = desk.book(.json).logger("fettle", level: .info)
    logger[metadataKey: "job"] = "01a1"
    logger.warning(
      "failed \"badly\"\n",
      metadata: ["attempt": "2", "list": ["a", "b"], "inner": ["x": "\u{1b}[31m"]]
    )
    #expect(
      desk.text == [
        #"{"ts":"2027-01-15T08:00:00.250Z","level":"warning","logger":"fettle","message":"failed \"badly\"\n","#
          + #""metadata":{"attempt":"2","inner":{"x":"\u001b[31m"},"job":"01a1","list":["a","b"]}}"# + "\n"
      ]
    )
  }

  @Test func `a line of text is one line, whatever is in it`() {
    let desk = Desk()
    let logger = desk.book(.text).logger("fettle", level: .info)
    logger.info(
      "two\nlines",
      metadata: ["error": "it said \"no\"\u{1b}[2J", "kind": "solar.push", "none": ""]
    )
    #expect(
      desk.text == [
        #"2027-01-15T08:00:00.250Z info fettle: two\nlines error="it said \"no\"\u001b[2J" kind=solar.push none="""#
          + "\n"
      ]
    )
  }

  @Test func `lines below the level are not written`() {
    let desk = Desk()
    let logger = desk.book(.text).logger("fettle", level: .warning)
    logger.info("quiet")
    #expect(desk.text.isEmpty)
  }

  @Test func `secrets are removed from every part of a line`() {
    let desk = Desk()
    let logger = desk.book(.json).logger("fettle", level: .info)
    logger.error(
      "cannot reach postgres://worker:hunter2@db/fettle with password='hunter2' and Bearer hunter2.abc",
      metadata: [
        "api-token": "hunter2", "error": "host=db password=hunter2 user=x",
        "headers": ["Authorization": "hunter2", "accept": "all"],
        "list": ["https://a:hunter2@b/c?x=1", "token=hunter2&y=2"],
      ]
    )
    let line = desk.text[0]
    #expect(!line.contains("hunter2"), "\(line)")
    #expect(line.contains("postgres://worker:[redacted]@db/fettle"))
    #expect(line.contains("user=x") && line.contains("&y=2") && line.contains(#""accept":"all""#))
  }

  @Test func `a repeated line is written ten times, then the number of suppressed lines`() {
    let desk = Desk()
    let book = desk.book(.json)
    let logger = book.logger("fettle", level: .info)
    for number in 0..<250 {
      logger.error("cannot claim", metadata: ["error": "port \(number) is closed", "job": "\(number)"])
    }
    logger.error("cannot claim", metadata: ["error": "another reason"])
    #expect(desk.text.count == 11)
    book.sweep()
    #expect(desk.text.count == 11)
    desk.pass(11)
    book.sweep()
    #expect(desk.text.count == 12)
    #expect(desk.text[11].contains(#""message":"cannot claim (repeated)""#))
    #expect(desk.text[11].contains(#""suppressed":"240""#))
    // The next interval.
    logger.error("cannot claim", metadata: ["error": "port 1 is closed"])
    #expect(desk.text.count == 13)
  }

  @Test func `suppressed lines are always counted, at the end and beyond the limit of distinct lines`() {
    let desk = Desk()
    let book = desk.book(.text, most: 1, mostKinds: 2)
    let logger = book.logger("fettle", level: .info)
    for message in ["a", "a", "b", "b", "c", "c"] { logger.info("\(message)") }
    #expect(desk.text.count == 4)
    book.finish()
    #expect(desk.text.filter { $0.contains("(repeated) suppressed=1") }.count == 3)
  }

  @Test func `setting the clock back loses no count`() {
    let desk = Desk()
    let book = desk.book(.text, most: 1)
    let logger = book.logger("fettle", level: .info)
    for _ in 0..<3 { logger.info("again") }
    desk.pass(-3_600)
    logger.info("again")
    #expect(desk.text.filter { $0.contains("suppressed=2") }.count == 1)
    #expect(desk.text.count == 3)
  }
}
