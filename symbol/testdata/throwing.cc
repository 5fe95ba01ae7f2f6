// What throws, and what handles it: for the landing pads.
#include <cstdio>
#include <stdexcept>
#include <string>

extern "C" __attribute__((noinline)) int plainly(int n)
{
	return std::puts("no exception") + n;
}

extern "C" __attribute__((noinline)) int refuse(int n)
{
	if (n > 3)
		throw std::out_of_range("too many");
	return n;
}

extern "C" __attribute__((noinline)) int handled(int n)
{
	try {
		return refuse(n);
	} catch (const std::out_of_range &e) {
		std::puts(e.what());
	} catch (const std::exception &e) {
		return 2;
	}
	return -1;
}

extern "C" __attribute__((noinline)) int cleaned(int n)
{
	std::string s(n, 'x');
	refuse(n);
	return static_cast<int>(s.size());
}

int main(int argc, char **)
{
	return plainly(argc) + handled(argc) + cleaned(argc);
}
