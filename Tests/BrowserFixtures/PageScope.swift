package import Values

/// A page, or an element of it, in which elements are found.
///
/// What a person reads or hears names them: a link or button its words, a field its label. An exact match comes before
/// one at the beginning, and that before one anywhere in the words.
package protocol PageScope: Sendable {
  var browser: Browser { get }
  /// The element to search in; null for the page.
  var root: JSONValue { get }
}

extension PageScope {
  /// Waits for the first element that a CSS selector matches.
  package func find(_ selector: String) async throws -> Element { try await first(.selector, selector) }

  /// Waits for the smallest visible element with a text.
  package func find(text: String) async throws -> Element { try await first(.text, text) }

  /// Waits for the visible link or button with these words.
  package func pressable(_ words: String) async throws -> Element { try await first(.pressable, words) }

  /// Waits for the field with a label.
  package func field(_ label: String) async throws -> Element { try await first(.field, label) }

  /// Clicks the link or button with these words, once it is there and nothing covers it.
  package func click(_ words: String) async throws {
    try await browser.wait(for: "\(Finder.pressable.noun) \"\(words)\"") {
      guard let element = try await all(.pressable, words).first else { return false }
      try await element.click()
      return true
    }
  }

  /// Waits until a text is visible.
  package func shows(_ text: String) async throws { _ = try await find(text: text) }

  /// Returns the elements that a CSS selector matches now, which can be none.
  package func all(_ selector: String) async throws -> [Element] { try await all(.selector, selector) }

  /// True if a link or button with these words is visible now. Waits for nothing.
  package func offers(_ words: String) async throws -> Bool { try await !all(.pressable, words).isEmpty }

  /// The words of all visible links and buttons, in the order of the page.
  package var pressables: [String] {
    get async throws {
      try await browser.execute(Finder.script("return named(pressable).map(pair => pair[0])"), root, "")
        .array?.compactMap(\.string) ?? []
    }
  }

  private func first(_ finder: Finder, _ wanted: String) async throws -> Element {
    var found: Element?
    try await browser.wait(for: "\(finder.noun) \"\(wanted)\"") {
      found = try await all(finder, wanted).first
      return found != nil
    }
    guard let found else { throw await browser.failure("\(finder.noun) \"\(wanted)\" is missing") }
    return found
  }

  private func all(_ finder: Finder, _ wanted: String) async throws -> [Element] {
    let found = try await browser.execute(finder.script, root, .string(wanted))
    return found.array?.map { Element(browser: browser, root: $0) } ?? []
  }
}
