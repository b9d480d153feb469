internal import Domain

/// Charts drawn with block characters.
package enum Chart {
  /// One bar of a chart.
  package struct Item: Sendable, Equatable {
    /// The label of the bar.
    package let label: String
    /// The length of the bar; zero, negative and non-finite values get no bar.
    package let value: Double
    /// The value as displayed.
    package let text: String

    /// Creates a bar with a label, a length and the displayed value.
    package init(_ label: String, _ value: Double, text: String) {
      self.label = label
      self.value = value
      self.text = text
    }
  }

  /// Returns one line with a horizontal bar per item, scaled to the largest value.
  ///
  /// The chart has the width of the screen, or 80 columns in a pipe. Labels are truncated to a third of that.
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

  /// Returns one block character per value, with heights from the smallest to the largest value; a space for
  /// a value that is not finite.
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
        return steps[Int(clamping: ((value - smallest) / range * Double(steps.count - 1)).rounded())]
      }
    )
  }

  /// Returns a bar that fills a share of the width, to an eighth of a column.
  ///
  /// - Parameters:
  ///   - share: from 0 to 1; other values are clamped.
  ///   - track: the character that fills the rest of the width; nil for none.
  static func bar(_ share: Double, width: Int, track: Character? = nil) -> String {
    let eighths = Int(clamping: (min(1, max(0, share)) * Double(width * 8)).rounded())
    let parts = Array("▏▎▍▌▋▊▉")
    var bar = String(repeating: "█", count: eighths / 8)
    if eighths % 8 > 0 { bar.append(parts[eighths % 8 - 1]) }
    if let track { bar += String(repeating: track, count: width - bar.count) }
    return bar
  }
}
