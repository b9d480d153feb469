extension Int {
  /// Creates the integer nearest to a number, or 0 for one that is not a number. `Int(_:)` of a `Double` ends the process
  /// for infinities and for numbers beyond 64 bits.
  package init(clamping value: Double) {
    let whole = value.rounded(.towardZero)
    if let exact = Int(exactly: whole) {
      self = exact
    } else {
      self = value.isNaN ? 0 : value > 0 ? .max : .min
    }
  }

  /// Creates an integer from decimal digits; nil for other text. A number beyond 64 bits becomes the largest integer: a
  /// limit refuses it, and it never looks absent.
  package init?(digits text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self = Int(text) ?? .max
  }
}
