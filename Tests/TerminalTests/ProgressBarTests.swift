import Synchronization
import Testing

@testable import Terminal

@Suite struct ProgressBarTests {
  /// A bar with a clock set by the test, and its output.
  private final class Stage: Sendable {
    let time = Mutex(ContinuousClock.now)
    let drawn = Mutex<[String]>([])

    func bar(total: Int?, width: Int?) -> ProgressBar {
      ProgressBar(
        Progress(title: "Importing", unit: "rows", total: total, width: width),
        now: { self.time.withLock { $0 } },
        write: { line in self.drawn.withLock { $0.append(line) } }
      )
    }

    func pass(milliseconds: Int) { time.withLock { $0 += .milliseconds(milliseconds) } }

    var lines: [String] { drawn.withLock { $0 } }
  }

  private let stage = Stage()

  @Test func `short work draws nothing`() {
    let bar = stage.bar(total: 100, width: 80)
    stage.pass(milliseconds: 900)
    bar.advance(to: 50)
    bar.finish()
    #expect(stage.lines.isEmpty)
  }

  @Test func `a pipe sees nothing`() {
    let bar = stage.bar(total: 100, width: nil)
    stage.pass(milliseconds: 5000)
    bar.advance(to: 50)
    bar.finish()
    #expect(stage.lines.isEmpty)
  }

  @Test func `a bar shows progress, rate and remaining time, and is removed`() {
    let bar = stage.bar(total: 5485, width: 100)
    stage.pass(milliseconds: 2000)
    bar.advance(to: 2742)
    bar.finish()
    bar.finish()
    let clear = "\r\u{1B}[K"
    #expect(
      stage.lines == [
        clear + "Importing  ███████████████░░░░░░░░░░░░░░░  49%  2,742/5,485 rows  1,371/s  0:03 left", clear,
      ]
    )
  }

  @Test func `a bar is drawn at most ten times a second`() {
    let bar = stage.bar(total: 10_000, width: 80)
    stage.pass(milliseconds: 1000)
    for step in 0..<1000 {
      bar.advance(to: step)
      stage.pass(milliseconds: 1)
    }
    #expect(stage.lines.count == 10)
  }

  @Test(arguments: 20...100)
  func `a bar never wraps`(width: Int) {
    let bar = stage.bar(total: 1_000_000, width: width)
    stage.pass(milliseconds: 1500)
    bar.advance(to: 999_999)
    for line in stage.lines {
      #expect(DisplayText.width(String(line.dropFirst(4))) < width)
    }
  }

  @Test func `an unknown total shows count and rate`() {
    let bar = stage.bar(total: nil, width: 80)
    stage.pass(milliseconds: 2000)
    bar.advance(to: 3000)
    #expect(stage.lines == ["\r\u{1B}[KImporting  3,000 rows  1,500/s"])
  }

  @Test func `figures read as people write them`() {
    #expect(
      [0, 999, 1000, 5485, 1_234_567, -1000].map(Figures.grouped) == [
        "0", "999", "1,000", "5,485", "1,234,567", "-1,000",
      ]
    )
    #expect(
      [0, 59.2, 61, 3600, 36_061].map(Figures.clock) == ["0:00", "1:00", "1:01", "1:00:00", "10:01:01"]
    )
  }

  @Test func `a bar chart is to the scale of its largest bar and fits`() {
    let items = [
      Chart.Item("EX-01", 40, text: "40 h"), .init("EX-02", 20, text: "20 h"), .init("none", 0, text: "0 h"),
    ]
    let lines = Chart.bars(items, on: Fixtures.screen(31)).split(separator: "\n").map(String.init)
    #expect(lines == ["EX-01  40 h  ██████████████████", "EX-02  20 h  █████████", "none    0 h"])
  }

  @Test func `a sparkline goes from the smallest to the largest`() {
    #expect(Chart.sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█")
    #expect(Chart.sparkline([5, .nan, 5]) == "▄ ▄")
    #expect(Chart.sparkline([]).isEmpty)
  }
}
