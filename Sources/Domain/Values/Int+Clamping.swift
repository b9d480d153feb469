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
}
