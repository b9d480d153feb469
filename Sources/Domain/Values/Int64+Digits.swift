extension Int64 {
  /// Parses one to eighteen ASCII digits and nothing else: no sign, no space, no digits of other scripts.
  init?(asciiDigits digits: some Collection<UInt8>) {
    guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    self = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// Returns quotient and remainder with a non-negative remainder, for dates before 1970.
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
