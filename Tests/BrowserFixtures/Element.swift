package import Values

/// An element of a page. It is stale after the page has been left.
package struct Element: PageScope {
  package let browser: Browser
  /// The reference of WebDriver, also as an argument of scripts.
  package let root: JSONValue

  private var path: String { "/element/\(root.object?.members.first?.value.string ?? "")" }

  /// Scrolls to the element and clicks its middle.
  ///
  /// - Throws: ``WebDriverError`` if something covers it.
  package func click() async throws { try await browser.command("POST", "\(path)/click") }

  /// Types a text, behind what the field has.
  package func type(_ text: String) async throws {
    try await browser.command("POST", "\(path)/value", ["text": .string(text)])
  }

  /// Types a text instead of what the field has.
  package func replace(with text: String) async throws {
    try await browser.command("POST", "\(path)/clear")
    try await type(text)
  }

  /// Sets the value of a field in the form of HTML, such as `2026-03-31`, and tells the page's scripts. For dates, whose
  /// typed form depends on the language.
  package func set(_ value: String) async throws {
    try await browser.execute(
      """
      arguments[0].value = arguments[1]
      for (const name of ['input', 'change']) arguments[0].dispatchEvent(new Event(name, {bubbles: true}))
      """,
      root,
      .string(value)
    )
  }

  /// Chooses the option of a select by its words.
  package func select(_ words: String) async throws {
    let options = try await all("option")
    for option in options where try await option.property("text").string == words {
      return try await option.click()
    }
    throw await browser.failure("a select has no option \"\(words)\"")
  }

  /// Chooses a file for a field of files; several, one call each, for a field that takes several.
  package func upload(_ path: String) async throws { try await type(path) }

  /// Submits the form that the element is or belongs to, after the browser's own checks, as Enter in a field does.
  package func submit() async throws {
    try await browser.execute("(arguments[0].form ?? arguments[0]).requestSubmit()", root)
  }

  /// The visible text.
  package var text: String {
    get async throws { try await browser.command("GET", "\(path)/text").string ?? "" }
  }

  /// What a field has now.
  package var value: String { get async throws { try await property("value").string ?? "" } }

  /// True for a chosen option, radio button or checkbox.
  package var isChecked: Bool {
    get async throws { try await browser.command("GET", "\(path)/selected").bool ?? false }
  }

  package var isEnabled: Bool {
    get async throws { try await browser.command("GET", "\(path)/enabled").bool ?? false }
  }

  package var isVisible: Bool {
    get async throws { try await browser.command("GET", "\(path)/displayed").bool ?? false }
  }

  /// The name by which a screen reader speaks of it.
  package var label: String {
    get async throws { try await browser.command("GET", "\(path)/computedlabel").string ?? "" }
  }

  /// The role by which a screen reader speaks of it.
  package var role: String {
    get async throws { try await browser.command("GET", "\(path)/computedrole").string ?? "" }
  }

  /// The attribute as written; nil without one.
  package func attribute(_ name: String) async throws -> String? {
    try await browser.execute("return arguments[0].getAttribute(arguments[1])", root, .string(name)).string
  }

  /// The property of the object in the page.
  package func property(_ name: String) async throws -> JSONValue {
    try await browser.command("GET", "\(path)/property/\(name)")
  }

  /// The computed value of a CSS property, such as `rgba(23, 32, 27, 1)`.
  package func style(_ name: String) async throws -> String {
    try await browser.command("GET", "\(path)/css/\(name)").string ?? ""
  }

  /// The width and height in CSS pixels.
  package var size: (width: Int, height: Int) {
    get async throws {
      let box = try await browser.command("GET", "\(path)/rect")
      return (box["width"]?.integer ?? 0, box["height"]?.integer ?? 0)
    }
  }
}
