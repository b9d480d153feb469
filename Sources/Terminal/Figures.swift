internal import Domain

/// Formats numbers for people.
package enum Figures {
  /// Returns the number with thousands separators: `5,485`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Returns a duration as `m:ss` or `h:mm:ss`, rounded up to the second; `?` from a billion seconds on.
  package static func clock(seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "?" }
    let whole = Int(clamping: seconds.rounded(.up))
    let pair = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    return hours > 0 ? "\(hours):\(pair(minutes)):\(pair(whole % 60))" : "\(minutes):\(pair(whole % 60))"
  }
}
