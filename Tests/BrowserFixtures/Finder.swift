/// A way to find elements, as a script that runs in the page.
enum Finder {
  case selector, text, pressable, field

  /// What is found, for messages.
  var noun: String {
    switch self {
    case .selector: "an element"
    case .text: "the text"
    case .pressable: "a link or button"
    case .field: "a field"
    }
  }

  /// The body of a function of an element, or null, and of what is wanted. It returns elements.
  var script: String {
    switch self {
    case .selector: Self.script("return [...scope.querySelectorAll(wanted)]")
    case .text: Self.script("return best(smallest())")
    case .pressable: Self.script("return best(named(pressable))")
    case .field: Self.script("return best(fields())")
    }
  }

  /// Returns a script that can use the functions of all.
  static func script(_ body: String) -> String { "\(functions)\n\(body)" }

  private static let functions = """
    const [root, wanted] = arguments
    const scope = root || document
    const tidy = text => (text || '').replace(/\\s+/g, ' ').trim()
    const seen = element => element.checkVisibility({visibilityProperty: true})
    const pressable = 'a[href], button, summary, [type=submit], [type=button], [type=reset], [role=button],'
      + '[role=link], [role=menuitem], [role=tab], [role=option]'
    // Pairs of words and element.
    const named = selector => [...scope.querySelectorAll(selector)].filter(seen).map(element => [
      tidy(element.getAttribute('aria-label') || (element.matches('input') ? element.value : element.innerText)),
      element])
    const fields = () => [
      ...[...scope.querySelectorAll('label')].filter(label => label.control)
        .map(label => [tidy(label.textContent), label.control]),
      ...[...scope.querySelectorAll('[aria-labelledby]')].map(element => [
        tidy(element.getAttribute('aria-labelledby').split(/\\s+/)
          .map(id => document.getElementById(id)?.textContent).join(' ')), element]),
      ...[...scope.querySelectorAll('input[aria-label], select[aria-label], textarea[aria-label]')]
        .map(element => [tidy(element.getAttribute('aria-label')), element])]
    const smallest = () => {
      const found = [...scope.querySelectorAll('*')].filter(seen)
        .map(element => [tidy(element.innerText), element]).filter(([words]) => words.includes(wanted))
      const parents = new Set(found.map(([, element]) => element.parentElement))
      return found.filter(([, element]) => !parents.has(element))
    }
    const best = pairs => [words => words === wanted, words => words.startsWith(wanted), words => words.includes(wanted)]
      .map(test => pairs.filter(([words]) => test(words)).map(([, element]) => element))
      .find(found => found.length) || []
    """
}
