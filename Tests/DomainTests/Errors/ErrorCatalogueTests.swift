import Testing

@testable import Domain

@Suite struct ErrorCatalogueTests {
  @Test(arguments: ErrorCode.allCases)
  func `every code has a title, a hint and a stable name`(code: ErrorCode) {
    #expect(Identifier.isWord(code.rawValue))
    #expect(!code.title.isEmpty && !code.title.hasSuffix("."))
    #expect(!code.hint.isEmpty && !code.hint.hasSuffix("."))
    // Lower case, unless the first word is a name such as PostgreSQL or JSON.
    for text in [code.title, code.hint] {
      let word = text.prefix { $0.isLetter }
      #expect(word.first?.isLowercase == true || word.dropFirst().contains(where: \.isUppercase), "\(text)")
    }
  }

  @Test func `no two codes say the same, so none was forgotten`() {
    let titles = ErrorCode.allCases.map(\.title)
    #expect(Set(titles).count == titles.count)
  }

  @Test func `an error without a text of its own says what the catalogue says`() {
    let error = DomainError(.stale)
    #expect(error.message == ErrorCode.stale.title)
    #expect(error.description == "error[stale]: \(ErrorCode.stale.title)\nhint: \(ErrorCode.stale.hint)")
  }

  @Test(arguments: [
    (ErrorCode.notFound, ErrorCategory.notFound), (.forbidden, .denied), (.wrongState, .conflict),
    (.invalidEmail, .invalid), (.timedOut, .unavailable), (.internal, .internal),
    (.companySuspended, .denied),
    (.unknownTransition, .notFound), (.lastAdministrator, .conflict), (.missingFields, .invalid),
  ])
  func `a code has its kind`(code: ErrorCode, category: ErrorCategory) {
    #expect(code.category == category)
  }
}
