/// The values that a chart shows: sums by place on its axis and by series.
package struct ChartData: Sendable {
  /// The places on the axis, in order.
  package private(set) var places: [String] = []
  /// The names of the series, the largest first; one without a name if there is no division.
  package private(set) var series: [String] = []
  /// The number of places that are left out, because there are more than ``mostPlaces``.
  package let leftOut: Int
  private var sums: [Key: Double] = [:]

  private struct Key: Hashable {
    let place: String
    let series: String
  }

  /// The most places of a chart; of more, the last ones of a time axis or the largest ones of others are shown.
  package static let mostPlaces = 36
  /// The most series; the smallest ones are added up.
  package static let mostSeries = 6

  /// - Parameters:
  ///   - points: the values in any order.
  ///   - isTime: true if places are points in time, which are ordered by their text.
  ///   - others: the name of the series that the smallest ones are added up to.
  package init(_ points: [(place: String, series: String, value: Double)], isTime: Bool, others: String) {
    var (byPlace, bySeries): ([String: Double], [String: Double]) = ([:], [:])
    for point in points where point.value.isFinite {
      byPlace[point.place, default: 0] += point.value
      bySeries[point.series, default: 0] += point.value
    }
    let ranked = bySeries.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    let isCut = ranked.count > Self.mostSeries
    series = isCut ? Array(ranked.prefix(Self.mostSeries - 1)) + [others] : ranked
    let kept = Set(series)
    if isTime {
      places = Array(byPlace.keys.sorted().suffix(Self.mostPlaces))
    } else {
      places = byPlace.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostPlaces).map(\.key)
    }
    leftOut = byPlace.count - places.count
    let shown = Set(places)
    for point in points where shown.contains(point.place) && point.value.isFinite {
      let name = kept.contains(point.series) ? point.series : others
      sums[Key(place: point.place, series: name), default: 0] += point.value
    }
  }

  /// Returns the sum at a place in a series.
  package func value(_ place: String, _ series: String) -> Double {
    sums[Key(place: place, series: series)] ?? 0
  }

  /// Returns the sum at a place in all series.
  package func total(_ place: String) -> Double { series.reduce(0) { $0 + value(place, $1) } }

  /// The sum of all that is shown.
  package var total: Double { places.reduce(0) { $0 + total($1) } }

  /// True if all values are whole numbers.
  var isWhole: Bool { sums.values.allSatisfy { $0 == $0.rounded() } }

  /// True if there is nothing to draw.
  package var isEmpty: Bool { places.isEmpty || places.allSatisfy { total($0) <= 0 } }
}
