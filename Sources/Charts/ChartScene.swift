/// A drawing of shapes in a plane of whole units, with the origin at the top left.
package struct ChartScene: Sendable {
  /// Where a text stands relative to its point.
  package enum Anchor: String, Sendable { case start, middle, end }

  package enum Shape: Sendable {
    /// A bar of a series, with what it says to those who point at it.
    case bar(x: Double, y: Double, width: Double, height: Double, series: Int, title: String)
    /// A line of a series through points.
    case line([(x: Double, y: Double)], series: Int)
    /// A point of a series.
    case dot(x: Double, y: Double, series: Int, title: String)
    /// A thin line that helps to read values.
    case rule(x1: Double, y1: Double, x2: Double, y2: Double)
    case text(x: Double, y: Double, anchor: Anchor, text: String)
  }

  package let width: Double
  package private(set) var height: Double
  package private(set) var shapes: [Shape] = []

  /// How values and places are written.
  package struct Labels: Sendable {
    package let value: @Sendable (Double) -> String
    package let place: @Sendable (String) -> String

    package init(
      value: @escaping @Sendable (Double) -> String,
      place: @escaping @Sendable (String) -> String
    ) {
      self.value = value
      self.place = place
    }
  }

  private init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Returns bars beside each other, one for each place in time, with the series on top of one another.
  package static func columns(_ data: ChartData, _ labels: Labels) -> ChartScene {
    var scene = ChartScene(width: 760, height: 280)
    let (left, right, top, bottom) = (88.0, 732.0, 12.0, 244.0)
    let scale = Scale(data.places.map(data.total).max() ?? 0, isWhole: data.isWhole)
    scene.addGrid(scale, labels, left: left, right: right, top: top, bottom: bottom)
    let step = (right - left) / Double(max(data.places.count, 1))
    let width = min(step * 0.7, 48)
    for (index, place) in data.places.enumerated() {
      let middle = left + step * (Double(index) + 0.5)
      var y = bottom
      for (number, series) in data.series.enumerated() {
        let value = data.value(place, series)
        guard value > 0 else { continue }
        let height = scale.share(value) * (bottom - top)
        y -= height
        let title = [labels.place(place), series, labels.value(value)].filter { !$0.isEmpty }
        scene.shapes.append(
          .bar(
            x: middle - width / 2,
            y: y,
            width: width,
            height: height,
            series: number,
            title: title.joined(separator: ", ")
          )
        )
      }
      scene.addPlace(place, index, data.places.count, x: middle, y: bottom + 18, labels)
    }
    return scene
  }

  /// Returns bars under each other, the largest first, each with its name before it and its value behind it.
  package static func rows(_ data: ChartData, _ labels: Labels) -> ChartScene {
    let (line, left, right) = (28.0, 200.0, 680.0)
    var scene = ChartScene(width: 760, height: Double(data.places.count) * line + 8)
    let most = data.places.map(data.total).max() ?? 0
    for (index, place) in data.places.enumerated() {
      let y = Double(index) * line + 4
      var x = left
      for (number, series) in data.series.enumerated() {
        let value = data.value(place, series)
        guard value > 0, most > 0 else { continue }
        let width = value / most * (right - left)
        let title = [labels.place(place), series, labels.value(value)].filter { !$0.isEmpty }
        scene.shapes.append(
          .bar(
            x: x,
            y: y,
            width: width,
            height: line - 8,
            series: number,
            title: title.joined(separator: ", ")
          )
        )
        x += width
      }
      scene.shapes.append(
        .text(x: left - 8, y: y + 15, anchor: .end, text: shortened(labels.place(place), 26))
      )
      scene.shapes.append(.text(x: x + 8, y: y + 15, anchor: .start, text: labels.value(data.total(place))))
    }
    return scene
  }

  /// Returns a line for each series over places in time.
  package static func lines(_ data: ChartData, _ labels: Labels) -> ChartScene {
    var scene = ChartScene(width: 760, height: 280)
    let (left, right, top, bottom) = (88.0, 732.0, 12.0, 244.0)
    let values = data.places.flatMap { place in data.series.map { data.value(place, $0) } }
    let scale = Scale(values.max() ?? 0, isWhole: data.isWhole)
    scene.addGrid(scale, labels, left: left, right: right, top: top, bottom: bottom)
    let step = (right - left) / Double(max(data.places.count, 1))
    for (number, series) in data.series.enumerated() {
      let points = data.places.enumerated().map { index, place in
        (
          x: left + step * (Double(index) + 0.5),
          y: bottom - scale.share(data.value(place, series)) * (bottom - top)
        )
      }
      scene.shapes.append(.line(points, series: number))
      for (point, place) in zip(points, data.places) {
        let title = [labels.place(place), series, labels.value(data.value(place, series))]
        scene.shapes.append(
          .dot(
            x: point.x,
            y: point.y,
            series: number,
            title: title.filter { !$0.isEmpty }.joined(separator: ", ")
          )
        )
      }
    }
    for (index, place) in data.places.enumerated() {
      let middle = left + step * (Double(index) + 0.5)
      scene.addPlace(place, index, data.places.count, x: middle, y: bottom + 18, labels)
    }
    return scene
  }

  private mutating func addGrid(
    _ scale: Scale,
    _ labels: Labels,
    left: Double,
    right: Double,
    top: Double,
    bottom: Double
  ) {
    for mark in scale.marks {
      let y = bottom - scale.share(mark) * (bottom - top)
      shapes.append(.rule(x1: left, y1: y, x2: right, y2: y))
      shapes.append(.text(x: left - 8, y: y + 4, anchor: .end, text: labels.value(mark)))
    }
  }

  /// Adds the name of a place, unless it would overlap its neighbours.
  private mutating func addPlace(
    _ place: String,
    _ index: Int,
    _ count: Int,
    x: Double,
    y: Double,
    _ labels: Labels
  ) {
    let every = max(1, (count + 7) / 8)
    guard index % every == 0 else { return }
    shapes.append(.text(x: x, y: y, anchor: .middle, text: Self.shortened(labels.place(place), 14)))
  }

  private static func shortened(_ text: String, _ most: Int) -> String {
    text.count <= most ? text : text.prefix(most - 1) + "…"
  }
}

/// An axis of values from nothing to a round number, with marks.
struct Scale: Sendable {
  let marks: [Double]
  private let most: Double

  /// - Parameters:
  ///   - largest: the largest value to show.
  ///   - isWhole: true for counts, which have no marks between whole numbers.
  init(_ largest: Double, isWhole: Bool) {
    guard largest > 0, largest.isFinite else {
      (most, marks) = (1, [0])
      return
    }
    var unit = 1.0
    while unit * 10 <= largest { unit *= 10 }
    while unit > largest { unit /= 10 }
    let steps = [0.2, 0.5, 1, 2, 2.5].map { $0 * unit }.filter { !isWhole || $0 == $0.rounded() }
    let step = steps.first { largest / $0 <= 5 } ?? unit
    let count = (largest / step).rounded(.up)
    most = count * step
    marks = (0...Int(count)).map { Double($0) * step }
  }

  /// Returns the part of the axis that a value takes, 0 to 1.
  func share(_ value: Double) -> Double { max(0, value) / most }
}
