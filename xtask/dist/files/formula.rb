class {class} < Formula
  desc "{description}"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "{url:aarch64-apple-darwin}"
      sha256 "{sha256:aarch64-apple-darwin}"
    end
    on_intel do
      url "{url:x86_64-apple-darwin}"
      sha256 "{sha256:x86_64-apple-darwin}"
    end
  end
  on_linux do
    on_arm do
      url "{url:aarch64-unknown-linux-gnu}"
      sha256 "{sha256:aarch64-unknown-linux-gnu}"
    end
    on_intel do
      url "{url:x86_64-unknown-linux-gnu}"
      sha256 "{sha256:x86_64-unknown-linux-gnu}"
    end
  end

  def install
    prefix.install "bin", "share"
  end

  test do
    assert_match "mgp #{version}", shell_output("#{bin}/mgp --version")
  end
end
