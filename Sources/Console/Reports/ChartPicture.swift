internal import Charts
internal import Domain
internal import Web

/// A chart as a figure: a sentence, the drawing, and the names of its series.
struct ChartPicture {
  let chart: ReportChart
  let data: ChartData
  let words: Words
  /// What the values are called.
  let measure: String
  /// How places and values are written.
  let labels: ChartScene.Labels
  let isTime: Bool

  /// - Parameters:
  ///   - items: the rows of the report.
  ///   - name: how a column is called.
  ///   - place: how a place is written.
  init(
    _ chart: ReportChart,
    _ items: [JSONObject],
    kind: String,
    words: Words,
    name: (String) -> String,
    place: @escaping @Sendable (String) -> String
  ) {
    self.chart = chart
    self.words = words
    measure = name(chart.y)
    isTime = kind == "date" || chart.x == "year"
    let numbers = NumberText(words.language)
    labels = ChartScene.Labels(
      value: { value in
        // Beyond the whole numbers, a sum is written as it is.
        guard let whole = Int64(exactly: value.rounded()) else { return "\(value)" }
        let isWhole = value == value.rounded() || value.magnitude >= 100
        return numbers.text(decimal: isWhole ? "\(whole)" : "\((value * 100).rounded() / 100)")
      },
      place: place
    )
    let points = items.compactMap { item -> (place: String, series: String, value: Double)? in
      guard let place = item[chart.x]?.displayText, !place.isEmpty,
        let value = item[chart.y].flatMap({ Double($0.displayText) })
      else { return nil }
      return (place, chart.series.flatMap { item[$0]?.displayText } ?? "", value)
    }
    data = ChartData(points, isTime: isTime, others: words("chart.others"))
  }

  /// The figure; nothing if there is nothing to draw.
  var html: HTML {
    guard !data.isEmpty else { return .none }
    let scene =
      chart.kind == .line && isTime
      ? ChartScene.lines(data, labels)
      : isTime ? ChartScene.columns(data, labels) : ChartScene.rows(data, labels)
    let names = data.series.enumerated().filter { !$0.element.isEmpty }.map { index, name -> HTML in
      "<li><svg class=\"key\" viewBox=\"0 0 12 12\" width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"s\(index)\" width=\"12\" height=\"12\"/></svg>\(own: name)</li>"
    }
    let left: HTML =
      data.leftOut == 0 ? .none : "<p class=\"quiet\">\(words.count("chart.left", data.leftOut))</p>"
    return """
      <figure class="card chart"><figcaption>\(sentence)</figcaption>
      <svg class="plot" viewBox="0 0 \(Self.number(scene.width)) \(Self.number(scene.height))" role="img" aria-label="\(sentence)">\(scene.shapes.map(Self.shape))</svg>
      \(names.count > 1 ? "<ul class=\"keys\">\(names)</ul>" : .none)\(left)</figure>
      """
  }

  /// What the chart shows, for those who do not see it: the largest value, because not everything can be added up.
  private var sentence: String {
    let all = data.places.flatMap { place in
      data.series.map { (place: place, series: $0, value: data.value(place, $0)) }
    }
    guard let top = all.max(by: { $0.value < $1.value }) else { return measure }
    let place = [labels.place(top.place), top.series].filter { !$0.isEmpty }.joined(separator: ", ")
    return words("chart.sentence", measure, place, labels.value(top.value))
  }

  private static func shape(_ shape: ChartScene.Shape) -> HTML {
    switch shape {
    case .bar(let x, let y, let width, let height, let series, let title):
      "<rect class=\"s\(series)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\"><title>\(title)</title></rect>"
    case .line(let points, let series):
      "<polyline class=\"l\(series)\" points=\"\(points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " "))\"/>"
    case .dot(let x, let y, let series, let title):
      "<circle class=\"s\(series)\" cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"4\"><title>\(title)</title></circle>"
    case .rule(let x1, let y1, let x2, let y2):
      "<path class=\"rule\" d=\"M\(number(x1)) \(number(y1))L\(number(x2)) \(number(y2))\"/>"
    case .text(let x, let y, let anchor, let text):
      "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor.rawValue)\">\(text)</text>"
    }
  }

  /// Returns a length with one decimal.
  private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
