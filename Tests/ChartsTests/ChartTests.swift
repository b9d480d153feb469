import Charts
import Testing

@Suite struct ChartTests {
  private static let labels = ChartScene.Labels(value: { "\($0)" }, place: { $0 })

  @Test func `values are added up by place and series, and small series are put together`() {
    let points = (1...8).flatMap { number -> [(String, String, Double)] in
      [("2026-01", "s\(number)", Double(number)), ("2026-02", "s\(number)", 1)]
    }
    let data = ChartData(
      points.map { (place: $0.0, series: $0.1, value: $0.2) },
      isTime: true,
      others: "Others"
    )
    #expect(data.places == ["2026-01", "2026-02"])
    #expect(data.series == ["s8", "s7", "s6", "s5", "s4", "Others"])
    #expect(data.value("2026-01", "Others") == 6)
    #expect(data.total == 44)
  }

  @Test func `a time axis shows the last places in order, others the largest ones`() {
    let months = (0..<50).map { (place: "\(1000 + $0)", series: "", value: Double(50 - $0)) }
    let time = ChartData(months, isTime: true, others: "")
    #expect(time.places.count == ChartData.mostPlaces)
    #expect(time.places.last == "1049")
    let size = ChartData(months, isTime: false, others: "")
    #expect(size.places.first == "1000")
    #expect(time.leftOut == 14 && size.leftOut == 14)
  }

  @Test(arguments: [(1.0, 2), (2, 3), (3, 4), (7, 5), (0.5, 6)])
  func `counts have no marks between whole numbers`(_ largest: Double, _ marks: Int) {
    let data = ChartData([(place: "a", series: "", value: largest)], isTime: true, others: "")
    let rules = ChartScene.columns(data, Self.labels).shapes.filter {
      if case .rule = $0 { true } else { false }
    }
    #expect(rules.count == marks)
  }

  @Test(arguments: [0.003, 0.7, 1, 3, 9.99, 10, 47, 120, 1_355.9, 22_611.06, 5_000_000])
  func `an axis ends at a round number above the largest value`(_ largest: Double) {
    let data = ChartData([(place: "a", series: "", value: largest)], isTime: true, others: "")
    let scene = ChartScene.columns(data, Self.labels)
    var bars: [(y: Double, height: Double)] = []
    var marks = 0
    for shape in scene.shapes {
      if case .bar(_, let y, _, let height, _, _) = shape { bars.append((y, height)) }
      if case .rule = shape { marks += 1 }
    }
    #expect(bars.count == 1)
    #expect(bars[0].y >= 11.9 && bars[0].height > 100, "\(bars)")
    #expect((2...7).contains(marks), "\(marks)")
  }

  @Test func `nothing, less than nothing and no number draw no bars`() {
    for value in [0, -5, Double.nan, Double.infinity] {
      let data = ChartData([(place: "a", series: "", value: value)], isTime: false, others: "")
      #expect(data.isEmpty)
      for scene in [ChartScene.rows(data, Self.labels), ChartScene.columns(data, Self.labels)] {
        #expect(!scene.shapes.contains { if case .bar = $0 { true } else { false } })
      }
    }
  }
}
