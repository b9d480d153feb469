/// Charts drawn with block characters.
package enum Chart {
  /// One bar of a chart.
  package struct Item: Sendable, Equatable {
    /// The label of the bar.
    package let label: String
    /// The length; negative values and NaN get no bar.
    package let value: Double
    /// The value as text.
    package let text: String

    /// Creates a bar; `text` gives the exact value.
    package init(_ label: String, _ value: Double, text: String) {
      self.label = label
      self.value = value
      self.text = text
    }
  }

  /// Returns one horizontal bar per item, scaled to the largest; 80 columns wide in a pipe.
  package static func bars(_ items: [Item], on screen: Screen) -> String {
    let width = screen.width ?? 80
    let labels = items.map { DisplayText.truncated(DisplayText.neutralized($0.label), to: max(6, width / 3)) }
    let texts = items.map { DisplayText.neutralized($0.text) }
    let labelWidth = labels.map(DisplayText.width).max() ?? 0
    let textWidth = texts.map(DisplayText.width).max() ?? 0
    let room = max(4, width - labelWidth - textWidth - 4)
    let largest = items.map(\.value).filter(\.isFinite).max() ?? 0
    return zip(items, zip(labels, texts)).map { item, words in
      let share = largest > 0 && item.value.isFinite ? max(0, item.value / largest) : 0
      let label = DisplayText.padded(words.0, to: labelWidth, .left)
      let text = DisplayText.padded(words.1, to: textWidth, .right)
      let bar = screen.styled(bar(share, width: room), .cyan)
      return "\(label)  \(text)" + (share > 0 ? "  \(bar)" : "") + "\n"
    }.joined()
  }

  /// Returns the values as a row of columns from the smallest to the largest; NaN leaves a gap.
  package static func sparkline(_ values: [Double]) -> String {
    let steps = Array("▁▂▃▄▅▆▇█")
    let finite = values.filter(\.isFinite)
    guard let smallest = finite.min(), let largest = finite.max() else {
      return String(repeating: " ", count: values.count)
    }
    let range = largest - smallest
    return String(
      values.map { value in
        guard value.isFinite else { return " " }
        guard range > 0 else { return steps[3] }
        return steps[Int(((value - smallest) / range * Double(steps.count - 1)).rounded())]
      }
    )
  }

  /// Returns a bar for a share of the width, to an eighth of a column, with an optional track behind it.
  static func bar(_ share: Double, width: Int, track: Character? = nil) -> String {
    let eighths = Int((min(1, max(0, share)) * Double(width * 8)).rounded())
    let parts = Array("▏▎▍▌▋▊▉")
    var bar = String(repeating: "█", count: eighths / 8)
    if eighths % 8 > 0 { bar.append(parts[eighths % 8 - 1]) }
    if let track { bar += String(repeating: track, count: width - bar.count) }
    return bar
  }
}
