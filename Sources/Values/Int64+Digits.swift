extension Int64 {
  /// Parses 1 to 18 ASCII digits; nil for any other character, such as a sign, a space or a digit of another
  /// script.
  package init?(asciiDigits digits: some Collection<UInt8>) {
    guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    self = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// Returns quotient and remainder, the remainder never negative. Dates before 1970 require this.
  package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// Returns the number with leading zeros, at least `width` digits long.
func padded(_ number: Int, _ width: Int) -> String { String(ascii: 20) { $0.put(Int64(number), width) } }
