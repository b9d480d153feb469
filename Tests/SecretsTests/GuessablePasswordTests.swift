import Testing

@testable import Secrets

@Suite struct GuessablePasswordTests {
  private let rules = GuessablePassword(
    context: ["Ana Lindqvist", "ana.lindqvist@sealline.example", "Sealline Road Marking"]
  )

  @Test(arguments: [
    "Password1234", "P@ssw0rd2026!", "letmeinplease", "iloveyou2000", "välkommen123", "Summer2026!!",
    "qwertyuiop123", "1q2w3e4r5t6y", "1qaz2wsx3edc", "q1w2e3r4t5y6", "abcdefghijkl", "aaaaaaaaaaaa",
    "123456789012", "987654321987", "112233445566", "asdfghjkl;'123",
  ])
  func `a common password is easy to guess`(_ password: String) {
    #expect(rules.matches(password))
  }

  @Test(arguments: ["secret secret", "familiyafamiliya", "159753159753", "x1x1x1x1x1x1", "qwertyytrewq"])
  func `a repeated text is as easy to guess as the text`(_ password: String) {
    #expect(rules.matches(password))
  }

  @Test(arguments: [
    "fettle-fettle-2026", "Ana.Lindqvist", "lindqvist1987", "L1ndqvist!2026", "Sealline Road Marking",
    "seallineroadmarking1", "ana@sealline.example", "SealLine-Winter-26",
  ])
  func `words of the context are easy to guess`(_ password: String) {
    #expect(rules.matches(password))
  }

  @Test(arguments: [
    "correct horse battery", "my cat sleeps on the warm roof", "a long sentence for a password",
    "Ana plays the cello on Mondays", "xK9#mQ2$vL7p", "tr0ub4dor&3xkcd", "vinterdäck och sommarregn",
    "839104728365", "qwxzvbnrtghyplk",
  ])
  func `a sentence and random characters are not`(_ password: String) {
    #expect(!rules.matches(password))
  }
}
